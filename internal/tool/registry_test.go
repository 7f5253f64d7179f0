package tool

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

// Every tool can be found, is described, and takes a closed object.
func TestAll(t *testing.T) {
	for _, tool := range All() {
		name := tool.Name()
		if got, ok := ByName(name); !ok || got != tool {
			t.Errorf("%s cannot be found", name)
		}
		if len(tool.Description()) < 100 || !strings.HasSuffix(tool.Description(), "\n") {
			t.Errorf("%s is described by %q", name, tool.Description())
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(tool.Schema(), &schema); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := schema.Resolve(nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || schema.AdditionalProperties.Not == nil {
			t.Errorf("%s does not take a closed object", name)
		}
	}
	if _, ok := ByName("no such tool"); ok {
		t.Error("an unknown tool was found")
	}
}
