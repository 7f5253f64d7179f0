package agentair

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

// TestToolset holds the names and the required members to the table of built-in tools.
func TestToolset(t *testing.T) {
	want := map[string]struct{ tool, required string }{
		"read_file":          {"read", "file_path"},
		"ls":                 {"list", "path"},
		"glob":               {"glob", "pattern"},
		"grep":               {"grep", "pattern"},
		"write_file":         {"write", "file_path content"},
		"edit_file":          {"edit", "file_path old_string new_string"},
		"multi_edit":         {"edit", "file_path edits"},
		"bash":               {"shell", "command"},
		"ask_user_questions": {"ask", "questions"},
		"web_search":         {"search", "query"},
	}
	bindings := toolset()
	for _, b := range bindings {
		if _, ok := tool.ByName(b.Tool); !ok {
			t.Errorf("%s: there is no tool %s", b.Name, b.Tool)
		}
		w, known := want[b.Name]
		delete(want, b.Name)
		if !known {
			if b.Name != b.Tool || b.Schema != nil || b.Description != "" || b.Adapt != nil {
				t.Errorf("%s is not shown as it is", b.Name)
			}
			continue
		}
		if b.Schema == nil || b.Description == "" || b.Adapt == nil {
			t.Errorf("%s is shown as it is", b.Name)
			continue
		}
		if got := strings.Join(parseSchema(t, b.Schema).Required, " "); b.Tool != w.tool || got != w.required {
			t.Errorf("%s is %s, and requires %q", b.Name, b.Tool, got)
		}
	}
	if len(want) > 0 || len(bindings) != 14 {
		t.Errorf("%d tools, without %v", len(bindings), want)
	}
}

// TestToolSchemasAreClosed: no object in an input may have a member that is not listed.
func TestToolSchemasAreClosed(t *testing.T) {
	var closed func(name string, s *jsonschema.Schema)
	closed = func(name string, s *jsonschema.Schema) {
		if s.Type == "object" && (s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil) {
			t.Errorf("%s is open", name)
		}
		for member, inner := range s.Properties {
			closed(name+"."+member, inner)
		}
		if s.Items != nil {
			closed(name+"[]", s.Items)
		}
	}
	for _, b := range toolset() {
		if b.Schema != nil {
			closed(b.Name, parseSchema(t, b.Schema))
		}
	}
}

// TestAdaptedInputsFit: whatever fits the schema that is shown fits, adapted, the schema of
// the tool that runs, or is refused in words.
func TestAdaptedInputsFit(t *testing.T) {
	for _, b := range toolset() {
		if b.Schema == nil {
			continue
		}
		own, ok := tool.ByName(b.Tool)
		if !ok {
			t.Errorf("there is no tool %s", b.Tool)
			continue
		}
		shown, core := parseSchema(t, b.Schema), resolve(t, own.Schema())
		t.Run(b.Name, func(t *testing.T) {
			check := resolve(t, b.Schema)
			rapid.Check(t, func(t *rapid.T) {
				input := jsontext.Value(marshal(drawInput(t, b.Name, "", shown)))
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
	choiceless := func(q shownQuestion) bool { return q.Type != FreeText && len(q.Choices) == 0 }
	var shown struct {
		Questions []shownQuestion `json:"questions"`
	}
	if json.Unmarshal(input, &shown) == nil && slices.ContainsFunc(shown.Questions, choiceless) {
		if err == nil || !strings.Contains(err.Error(), "needs choices") {
			t.Fatalf("%s: %v", input, err)
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

// TestAdapt has inputs of each tool, word for word.
func TestAdapt(t *testing.T) {
	for _, row := range []struct{ name, input, want string }{
		{"read_file", `{"file_path":"/a"}`, `{"limit":2000,"path":"/a"}`},
		{"read_file", `{"file_path":"/a","offset":1,"limit":7}`, `{"limit":7,"offset":1,"path":"/a"}`},
		{"ls", `{"path":"/a"}`, `{"path":"/a"}`},
		{"ls", `{"path":"/a","offset":5,"limit":1}`, `{"limit":1,"offset":5,"path":"/a"}`},
		{"glob", `{"pattern":"*.go","path":"a"}`, `{"path":"a","pattern":"*.go"}`},
		{"grep", `{"pattern":"x"}`, `{"pattern":"x"}`},
		{
			"grep", `{"pattern":"x","path":"a","glob":"*.go","output_mode":"content","-i":true,"-n":false,"-A":1,"-B":2,"-C":3,"multiline":true,"limit":4}`,
			`{"after":1,"before":2,"context":3,"glob":"*.go","head_limit":4,"ignore_case":true,"line_numbers":false,"mode":"content","multiline":true,"path":"a","pattern":"x"}`,
		},
		{"write_file", `{"file_path":"/a","content":"x"}`, `{"content":"x","path":"/a"}`},
		{"edit_file", `{"file_path":"/a","old_string":"x","new_string":"y","replace_all":true}`, `{"new":"y","old":"x","path":"/a","replace_all":true}`},
		{
			"multi_edit", `{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"},{"new_string":"","replace_all":true,"old_string":"z"}]}`,
			`{"edits":[{"old":"x","new":"y"},{"old":"z","new":"","replace_all":true}],"path":"/a"}`,
		},
		{"bash", `{"command":"ls"}`, `{"command":"ls"}`},
		{"bash", `{"command":"ls","timeout":5,"working_dir":"/a"}`, `{"command":"ls","dir":"/a","timeout_ms":5}`},
		{
			"ask_user_questions", `{"questions":[{"text":"Which?","type":"MultiChoice","choices":["A","B"],"required":true},{"text":"One?","type":"SingleChoice","choices":["C"],"defaultValue":"C"},{"text":"Notes?","type":"FreeText","defaultValue":"none","choices":["D"]}]}`,
			`{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}],"multi":true},{"question":"One?","options":[{"label":"C"}]},{"question":"Notes?"}],"format":"json"}`,
		},
		{"web_search", `{"query":"x"}`, `{"query":"x"}`},
	} {
		got, err := bindingOf(t, row.name).Adapt(jsontext.Value(row.input))
		if err != nil || string(got) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
	for _, row := range []struct{ name, input, want string }{
		{"read_file", `{"file_path":"a.txt"}`, `file_path has to be an absolute path, which "a.txt" is not`},
		{"write_file", `{"file_path":"","content":"x"}`, `file_path has to be an absolute path, which "" is not`},
		{"edit_file", `{"file_path":"./a","old_string":"x","new_string":"y"}`, `file_path has to be an absolute path, which "./a" is not`},
		{"multi_edit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`, `file_path has to be an absolute path, which "a" is not`},
		{"ls", `{"path":"."}`, `path has to be an absolute path, which "." is not`},
		{"bash", `{"command":"ls","working_dir":"a"}`, `working_dir has to be an absolute path, which "a" is not`},
		{"ask_user_questions", `{"questions":[{"text":"Which?","type":"SingleChoice","choices":[]}]}`, `the question "Which?" needs choices, or the type FreeText`},
		{"ask_user_questions", `{"questions":[{"text":"Which?","type":"MultiChoice"}]}`, `the question "Which?" needs choices, or the type FreeText`},
	} {
		if got, err := bindingOf(t, row.name).Adapt(jsontext.Value(row.input)); err == nil || err.Error() != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func bindingOf(t *testing.T, name string) engine.Binding {
	t.Helper()
	bindings := toolset()
	i := slices.IndexFunc(bindings, func(b engine.Binding) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return bindings[i]
}

// drawInput is any value that fits s, with the types that our schemas use, where a path is
// absolute if it has to be.
func drawInput(t *rapid.T, tool, member string, s *jsonschema.Schema) any {
	switch s.Type {
	case "object":
		value := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, name) || rapid.Bool().Draw(t, "has "+name) {
				value[name] = drawInput(t, tool, name, s.Properties[name])
			}
		}
		return value
	case "array":
		list := []any{}
		least, most := limits(s.MinItems, s.MaxItems, 5)
		for range rapid.IntRange(least, most).Draw(t, "length") {
			list = append(list, drawInput(t, tool, member, s.Items))
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
			return rapid.SampledFrom(s.Enum).Draw(t, "enum").(string)
		}
		least, _ := limits(s.MinLength, nil, 0)
		text := rapid.StringN(least, -1, -1).Draw(t, "string")
		if member == "file_path" || member == "working_dir" || member == "path" && tool == "ls" {
			return "/" + text
		}
		return text
	}
	t.Fatalf("a schema has type %q", s.Type)
	return nil
}

// limits is from and to, or 0 and most.
func limits(from, to *int, most int) (least, greatest int) {
	if from != nil {
		least = *from
	}
	if to != nil {
		most = *to
	}
	return least, most
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
