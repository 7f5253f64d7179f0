package scaiflux

import (
	stdjson "encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/tool"
)

// TestToolset holds the names, the required keys and the modes to the protocol's table.
func TestToolset(t *testing.T) {
	want := map[string]struct{ required, mode, gadget string }{
		"read_file":   {"path", "read-only", ""},
		"write_file":  {"path content", "workspace-write", ""},
		"edit_file":   {"path old_string new_string", "workspace-write", ""},
		"glob_search": {"pattern", "read-only", ""},
		"grep_search": {"pattern", "read-only", ""},
		"bash":        {"command", "danger-full-access", ""},
		"WebFetch":    {"url prompt", "danger-full-access", "web"},
		"WebSearch":   {"query", "danger-full-access", "web"},
		"TodoWrite":   {"todos", "workspace-write", "todo"},
	}
	bindings := toolset()
	if len(bindings) != len(want) {
		t.Errorf("%d tools, want %d", len(bindings), len(want))
	}
	for i, b := range bindings {
		w, known := want[b.Name]
		if !known {
			t.Errorf("unexpected tool %s", b.Name)
			continue
		}
		schema := parseSchema(t, b.Schema)
		if got := strings.Join(schema.Required, " "); got != w.required {
			t.Errorf("%s requires %q, want %q", b.Name, got, w.required)
		}
		if got := requiredMode(b.Name); got != w.mode || b.Group != w.gadget {
			t.Errorf("%s: mode %s, gadget %q", b.Name, got, b.Group)
		}
		if b.Description == "" || i < 6 && b.Group != "" {
			t.Errorf("%s has no description, or is no core tool", b.Name)
		}
	}
	if requiredMode("no such tool") != "" {
		t.Error("an unknown tool has a mode")
	}
}

// TestSchemasAreClosed: no object anywhere in an input may have a key that is not listed.
func TestSchemasAreClosed(t *testing.T) {
	for _, b := range toolset() {
		checkClosed(t, b.Name, parseSchema(t, b.Schema))
	}
}

func checkClosed(t *testing.T, where string, s *jsonschema.Schema) {
	t.Helper()
	if s.Type == "object" && (s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil) {
		t.Errorf("%s is open", where)
	}
	for name, property := range s.Properties {
		checkClosed(t, where+"."+name, property)
	}
	if s.Items != nil {
		checkClosed(t, where+"[]", s.Items)
	}
}

// TestAdaptedInputsFit: whatever fits the schema that is shown fits, adapted, the schema of
// the tool that runs.
func TestAdaptedInputsFit(t *testing.T) {
	for _, b := range toolset() {
		own, offered := tool.ByName(b.Tool)
		if !offered {
			continue // not in this build: the engine does not offer it either
		}
		shown, core := parseSchema(t, b.Schema), resolve(t, own.Schema())
		t.Run(b.Name, func(t *testing.T) {
			check := resolve(t, b.Schema)
			rapid.Check(t, func(t *rapid.T) {
				input := marshal(drawInput(t, shown))
				if err := validate(check, input); err != nil {
					t.Fatalf("the drawn input %s does not fit: %v", input, err)
				}
				checkAdapted(t, b, core, input)
			})
		})
	}
}

func checkAdapted(t *rapid.T, b engine.Binding, core *jsonschema.Resolved, input jsontext.Value) {
	adapted, err := b.Adapt(input)
	if strings.Contains(string(input), `"run_in_background":true`) {
		if err == nil || !strings.Contains(err.Error(), "run_in_background") {
			t.Fatalf("%s is taken: %v", input, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("adapt %s: %v", input, err)
	}
	if err := validate(core, adapted); err != nil {
		t.Fatalf("%s became %s: %v", input, adapted, err)
	}
}

// TestAdapt has one input a tool, word for word.
func TestAdapt(t *testing.T) {
	rows := []struct{ name, input, want string }{
		{"read_file", `{"path":"a","offset":3,"limit":2}`, `{"limit":2,"line_numbers":false,"offset":3,"path":"a"}`},
		{"write_file", `{"path":"a","content":"x"}`, `{"content":"x","path":"a"}`},
		{"edit_file", `{"path":"a","old_string":"x","new_string":"y","replace_all":true}`, `{"new":"y","old":"x","path":"a","replace_all":true}`},
		{"glob_search", `{"pattern":"**/*.go"}`, `{"pattern":"**/*.go"}`},
		{"grep_search", `{"pattern":"x","-i":true,"-n":false,"-A":1,"-B":2,"-C":3,"output_mode":"count","head_limit":9}`, `{"after":1,"before":2,"context":3,"head_limit":9,"ignore_case":true,"line_numbers":false,"mode":"count","pattern":"x"}`},
		{"bash", `{"command":"ls","timeout":5,"description":"list","run_in_background":false}`, `{"command":"ls","description":"list","separate":true,"timeout_ms":5}`},
		{"WebFetch", `{"url":"https://x","prompt":"y"}`, `{"prompt":"y","url":"https://x"}`},
		{"TodoWrite", `{"todos":[{"content":"a","activeForm":"b","status":"pending"},{"content":"c","activeForm":"","status":"completed"}]}`, `{"items":[{"text":"a","active":"b","status":"pending"},{"text":"c","status":"completed"}]}`},
	}
	for _, row := range rows {
		for _, b := range toolset() {
			if b.Name != row.name {
				continue
			}
			got, err := b.Adapt(jsontext.Value(row.input))
			if err != nil || string(got) != row.want {
				t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
			}
		}
	}
}

// drawInput is any value that fits s: the types that our schemas use.
func drawInput(t *rapid.T, s *jsonschema.Schema) any {
	switch s.Type {
	case "object":
		value := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, name) || rapid.Bool().Draw(t, "has "+name) {
				value[name] = drawInput(t, s.Properties[name])
			}
		}
		return value
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawInput(t, s.Items))
		}
		return list
	case "integer":
		low, high := 0, 1_000_000
		if s.Minimum != nil {
			low = int(*s.Minimum)
		}
		if s.Maximum != nil {
			high = int(*s.Maximum)
		}
		return rapid.IntRange(low, high).Draw(t, "integer")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "string":
		if len(s.Enum) > 0 {
			return rapid.SampledFrom(s.Enum).Draw(t, "enum")
		}
		least := 0
		if s.MinLength != nil {
			least = *s.MinLength
		}
		return rapid.StringN(least, -1, -1).Draw(t, "string")
	}
	t.Fatalf("a schema has type %q", s.Type)
	return nil
}

func parseSchema(t *testing.T, raw jsontext.Value) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := stdjson.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &s
}

func resolve(t *testing.T, raw jsontext.Value) *jsonschema.Resolved {
	t.Helper()
	r, err := parseSchema(t, raw).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func validate(schema *jsonschema.Resolved, input jsontext.Value) error {
	var instance map[string]any
	if err := json.Unmarshal(input, &instance); err != nil {
		return err
	}
	return schema.Validate(instance)
}

func marshal(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // drawn of maps, strings and numbers only
	}
	return raw
}
