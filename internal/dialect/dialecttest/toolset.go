package dialecttest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/engine"
)

// A Toolset is the tools of a dialect, and what the schemas of their inputs do not contain.
type Toolset struct {
	Bindings []engine.Binding
	// Absolute reports whether a text has to be an absolute path; nil: none has.
	Absolute func(tool, member string) bool
	// Refused is part of the words in which an input that fits what is shown has to be
	// refused; "": it has to be taken. Nil: all have.
	Refused func(input jsontext.Value) string
}

// Binding returns that of a tool.
func (s Toolset) Binding(t Tester, name string) engine.Binding {
	t.Helper()
	i := slices.IndexFunc(s.Bindings, func(b engine.Binding) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return s.Bindings[i]
}

// CheckShown compares the tools that have an input of the dialect's own with want, by name: which tool of ours it is, and
// the members that it requires. All others have to be shown as they are.
func (s Toolset) CheckShown(t Tester, want map[string]struct{ Tool, Required string }) {
	t.Helper()
	for _, b := range s.Bindings {
		if b.Own != nil { // no tool of ours
			continue
		}
		own, ok := FindTool(b.Tool)
		if !ok {
			t.Errorf("%s: there is no tool %s", b.Name, b.Tool)
			continue
		}
		w, known := want[b.Name]
		delete(want, b.Name)
		if !known {
			if b.Schema != nil || b.Description != "" || b.Adapt != nil {
				t.Errorf("%s is not shown as it is", b.Name)
			}
			continue
		}
		if (b.Schema == nil) != (b.Description == "") || (b.Schema == nil) != (b.Adapt == nil) {
			t.Errorf("%s: the description is for another schema", b.Name)
		}
		schema := b.Schema
		if schema == nil {
			schema = own.Schema()
		}
		if got := Required(t, schema); b.Tool != w.Tool || got != w.Required {
			t.Errorf("%s is %s, and requires %q", b.Name, b.Tool, got)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// CheckClosed checks that no object anywhere in an input may have a member that is not listed.
func (s Toolset) CheckClosed(t Tester) {
	t.Helper()
	for _, b := range s.Bindings {
		if b.Schema != nil {
			checkClosed(t, b.Name, parse(t, b.Schema))
		}
	}
}

func checkClosed(t Tester, where string, s *jsonschema.Schema) {
	t.Helper()
	if s.Type == "object" && (s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil) {
		t.Errorf("%s is open", where)
	}
	for name, member := range s.Properties {
		checkClosed(t, where+"."+name, member)
	}
	if s.Items != nil {
		checkClosed(t, where+"[]", s.Items)
	}
}

// CheckAdapted checks that whatever fits the schema that is shown fits, adapted, the schema of the tool
// that runs, or is refused in words. Tools that are not in this build are not offered either.
func (s Toolset) CheckAdapted(t *testing.T) {
	t.Helper()
	for _, b := range s.Bindings {
		own, offered := FindTool(b.Tool)
		if !offered || b.Schema == nil {
			continue
		}
		shown, check, core := parse(t, b.Schema), resolve(t, b.Schema), resolve(t, own.Schema())
		t.Run(b.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				input, err := json.Marshal(s.draw(t, b.Name, "", shown), json.Deterministic(true))
				if err != nil {
					t.Fatal(err)
				}
				if err := fits(check, input); err != nil {
					t.Fatalf("the drawn input %s does not fit: %v", input, err)
				}
				s.checkAdapted(t, b, core, input)
			})
		})
	}
}

func (s Toolset) checkAdapted(t *rapid.T, b engine.Binding, core *jsonschema.Resolved, input jsontext.Value) {
	adapted, err := b.Adapt(input)
	if s.Refused != nil {
		if words := s.Refused(input); words != "" {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Fatalf("%s: %v", input, err)
			}
			return
		}
	}
	if err != nil {
		t.Fatalf("adapt %s: %v", input, err)
	}
	if err := fits(core, adapted); err != nil {
		t.Fatalf("%s became %s: %v", input, adapted, err)
	}
}

// draw is any value that fits a schema with the types that schemas of tools use.
func (s Toolset) draw(t *rapid.T, tool, member string, of *jsonschema.Schema) any {
	switch of.Type {
	case "object":
		value := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
			if slices.Contains(of.Required, name) || rapid.Bool().Draw(t, "has "+name) {
				value[name] = s.draw(t, tool, name, of.Properties[name])
			}
		}
		return value
	case "array":
		list := []any{}
		for range rapid.IntRange(or(of.MinItems, 0), or(of.MaxItems, 5)).Draw(t, "length") {
			list = append(list, s.draw(t, tool, member, of.Items))
		}
		return list
	case "integer":
		return rapid.IntRange(int(or(of.Minimum, 0)), int(or(of.Maximum, 1_000_000))).Draw(t, "integer")
	case "number":
		return rapid.Float64Range(or(of.Minimum, or(of.ExclusiveMinimum, 0)+0.001), or(of.Maximum, 1_000_000)).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "string", "":
		if len(of.Enum) > 0 {
			return rapid.SampledFrom(of.Enum).Draw(t, "enum")
		}
		text := rapid.StringN(or(of.MinLength, 0), or(of.MaxLength, -1), -1).Draw(t, "string")
		if s.Absolute != nil && s.Absolute(tool, member) {
			return "/" + text
		}
		return text
	}
	t.Fatalf("a schema has type %q", of.Type)
	return nil
}

// or returns what is said, or the default.
func or[T any](said *T, otherwise T) T {
	if said != nil {
		return *said
	}
	return otherwise
}

// Required returns the members that an input has to have, in order, with spaces between them.
func Required(t Tester, schema jsontext.Value) string {
	t.Helper()
	return strings.Join(parse(t, schema).Required, " ")
}

func parse(t Tester, raw jsontext.Value) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &s
}

func resolve(t Tester, raw jsontext.Value) *jsonschema.Resolved {
	t.Helper()
	r, err := parse(t, raw).Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return r
}

func fits(schema *jsonschema.Resolved, input jsontext.Value) error {
	var value map[string]any
	if err := json.Unmarshal(input, &value); err != nil {
		return err
	}
	return schema.Validate(value)
}
