package dialecttest

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
)

// usualInputs are inputs of our tools as agents of back ends report their calls.
var usualInputs = map[string][]string{
	"shell":  {`{"command":"ls"}`, `{"command":"ls","timeout_ms":60000}`, `{"command":"ls","description":"list"}`},
	"read":   {`{"path":"/w/a"}`, `{"path":"/w/a","offset":3,"limit":7}`},
	"write":  {`{"path":"/w/a","content":"x\n"}`},
	"edit":   {`{"path":"/w/a","old":"x","new":"y"}`, `{"path":"/w/a","old":"x","new":"y","replace_all":true}`},
	"grep":   {`{"pattern":"x"}`, `{"pattern":"x","path":"/w"}`, `{"pattern":"x","glob":"*.go"}`},
	"glob":   {`{"pattern":"*.go"}`, `{"pattern":"*.go","path":"/w"}`},
	"list":   {`{"path":"/w"}`},
	"fetch":  {`{"url":"https://example.com"}`},
	"search": {`{"query":"x"}`},
	"plan":   {`{"items":[{"text":"a","status":"in_progress"}]}`},
	"patch":  {`{"input":"*** Begin Patch\n*** End Patch\n"}`},
}

// CheckShows checks how calls of agents are shown: each usual input of a tool that the dialect has can be, and whatever is shown
// means, adapted, the same as before.
func (s Toolset) CheckShows(t *testing.T) {
	t.Helper()
	for tool, inputs := range usualInputs {
		bound := slices.DeleteFunc(slices.Clone(s.Bindings), func(b engine.Binding) bool { return b.Tool != tool })
		for _, input := range inputs {
			if len(bound) > 0 && !slices.ContainsFunc(bound, func(b engine.Binding) bool { return s.shows(t, b, jsontext.Value(input)) }) {
				t.Errorf("%s %s cannot be shown", tool, input)
			}
		}
	}
	for _, b := range s.Bindings {
		own, offered := FindTool(b.Tool)
		if !offered || b.Schema == nil || b.Show == nil {
			continue
		}
		schema, core, shown := parse(t, own.Schema()), resolve(t, own.Schema()), resolve(t, b.Schema)
		drawing := Toolset{Absolute: func(_, member string) bool { return member == "path" || member == "dir" }}
		t.Run(b.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				input, err := json.Marshal(drawing.draw(t, b.Name, "", schema), json.Deterministic(true))
				if err != nil {
					t.Fatal(err)
				}
				if err := fits(core, input); err != nil {
					t.Fatalf("the drawn input %s does not fit: %v", input, err)
				}
				s.checkShown(t, b, shown, input)
			})
		})
	}
}

// shows reports whether a binding has an input for a call.
func (s Toolset) shows(t Tester, b engine.Binding, own jsontext.Value) bool {
	if b.Schema == nil && b.Show == nil {
		return true
	}
	shown, err := b.Show(own)
	if err != nil || fits(resolve(t, b.Schema), shown) != nil {
		return false
	}
	_, err = b.Adapt(shown)
	return err == nil
}

func (s Toolset) checkShown(t *rapid.T, b engine.Binding, schema *jsonschema.Resolved, own jsontext.Value) {
	shown, err := b.Show(own)
	if err != nil || fits(schema, shown) != nil {
		return // it cannot be shown
	}
	adapted, err := b.Adapt(shown)
	if err != nil {
		t.Fatalf("%s is shown as %s, which is refused: %v", own, shown, err)
	}
	want, got := membersOf(t, own), membersOf(t, adapted)
	for name, value := range want {
		if slices.Contains(dialect.Incidental, name) && (got[name] == nil || name == "separate" || name == "line_numbers") {
			continue // the last two are how a dialect has results
		}
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Fatalf("%s is shown as %s, which is %s:\n%s", own, shown, adapted, diff)
		}
	}
	again, err := b.Show(adapted)
	if err != nil {
		t.Fatalf("%s cannot be shown: %v", adapted, err)
	}
	if same, err := b.Adapt(again); err != nil || string(same) != string(adapted) {
		t.Fatalf("%s is shown as %s, which is %s, %v", adapted, again, same, err)
	}
}

// membersOf returns the members of an input, without those that say what holds anyway.
func membersOf(t Tester, input jsontext.Value) map[string]any {
	var members map[string]any
	if err := json.Unmarshal(input, &members); err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	members, _ = plainly(members).(map[string]any)
	return members
}

// plainly returns a value without members that say what holds anyway.
func plainly(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name == "replace_all" && member == false || name == "active" && member == "" || name == "prompt" && member == "" {
				delete(value, name)
			} else {
				value[name] = plainly(member)
			}
		}
	case []any:
		for i := range value {
			value[i] = plainly(value[i])
		}
	}
	return value
}
