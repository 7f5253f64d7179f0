package tool

import "testing"

// TestSchemaWithout leaves out properties of the object itself, and nothing else.
func TestSchemaWithout(t *testing.T) {
	const schema = `{
		"type": "object",
		"properties": {
			"a": {"type": "string", "enum": ["b", "properties"]},
			"b": {"type": "object", "properties": {"a": {"type": "integer"}}},
			"c": {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}
		},
		"required": ["a"]
	}`
	for _, test := range []struct {
		hidden []string
		want   string
	}{
		{[]string{"b"}, `{"type":"object","properties":{"a":{"type":"string","enum":["b","properties"]},"c":{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}},"required":["a"]}`},
		{[]string{"b", "c"}, `{"type":"object","properties":{"a":{"type":"string","enum":["b","properties"]}},"required":["a"]}`},
	} {
		got := schemaWithout(schema, test.hidden...)
		if err := got.Compact(); err != nil || string(got) != test.want {
			t.Errorf("without %q: %s, %v, want %s", test.hidden, got, err, test.want)
		}
	}
}
