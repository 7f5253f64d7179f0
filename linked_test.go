package parley_test

import (
	"os/exec"
	"strings"
	"testing"
)

// consoleOnly are the packages that only the console links: what they initialise would cost each start of the main program.
var consoleOnly = []string{
	"github.com/yuin/goldmark", "github.com/alecthomas/chroma", "github.com/dlclark/regexp2",
	module + "internal/highlight", module + "internal/export/html",
}

// TestLinked: the main program links nothing of what only the console needs.
func TestLinked(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/parley").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		for _, only := range consoleOnly {
			if path == only || strings.HasPrefix(path, only+"/") {
				t.Errorf("cmd/parley links %s, which is for cmd/parley-console", path)
			}
		}
	}
}
