package telemetry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"

	"parley.dev/parley/internal/telemetry/otlp"
	"parley.dev/parley/internal/telemetry/otlp/otlptest"
)

// TestAttributes: each type is sent as what it is, and text as UTF-8, without which collectors refuse a request, in JSON, too.
func TestAttributes(t *testing.T) {
	all := attributesOf([]attribute.KeyValue{
		attribute.String("text", "a\xffb"), attribute.StringSlice("list", []string{"a", "\xff"}), attribute.Bool("bool", false), attribute.Int("int", 0),
		attribute.Float64("double", 0), attribute.Int64Slice("numbers", []int64{1, 2}),
	})
	want := map[string]any{
		"text": "a\uFFFDb", "list": []any{"a", "\uFFFD"}, "bool": false, "int": int64(0), "double": 0.0, "numbers": "[1,2]",
	}
	if diff := cmp.Diff(want, otlptest.Map(all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := otlp.JSON(&otlp.Resource{Attributes: all}); err != nil {
		t.Error(err)
	}
}
