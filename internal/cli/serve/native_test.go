package serve

import (
	"reflect"
	"strings"
	"testing"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect/native"
)

// TestExportForms: the command and the protocol export the same forms.
func TestExportForms(t *testing.T) {
	field, _ := reflect.TypeFor[native.SessionExportParams]().FieldByName("Format")
	formats := strings.Split(field.Tag.Get("enum"), ",")
	if len(formats) != len(cli.ExportForms) {
		t.Errorf("the protocol has %v, the command %d forms", formats, len(cli.ExportForms))
	}
	for _, format := range formats {
		if f, ok := cli.FindExportForm(format); !ok || f.Short != format {
			t.Errorf("the command has no form %s", format)
		}
	}
}
