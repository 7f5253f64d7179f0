package telemetry

import (
	"testing"

	"go.opentelemetry.io/otel/attribute"
)

// TestInvalidAttributes: what is not UTF-8 costs its own bytes, and not the request, which encodings refuse as a whole.
func TestInvalidAttributes(t *testing.T) {
	got := attributesOf([]attribute.KeyValue{attribute.String("a\xff", "b\xff"), attribute.StringSlice("c", []string{"d\xff"})})
	if got[0].Key != "a\uFFFD" || *got[0].Value.String != "b\uFFFD" || *got[1].Value.Array.Values[0].String != "d\uFFFD" {
		t.Errorf("%+v", got)
	}
}
