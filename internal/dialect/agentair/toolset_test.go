package agentair

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
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

		"ask_for_permissions": {"permissions", "target_type target level description"},
	}
	bindings := toolset.Get()
	for _, b := range bindings {
		if _, ok := tool.ByName(b.Tool); !ok {
			t.Errorf("%s: there is no tool %s", b.Name, b.Tool)
		}
		w, known := want[b.Name]
		delete(want, b.Name)
		if !known {
			if b.Name != b.Tool && b.Name != "apply_patch" || b.Schema != nil || b.Description != "" || b.Adapt != nil {
				t.Errorf("%s is not shown as it is", b.Name)
			}
			continue
		}
		if b.Schema == nil || b.Description == "" || b.Adapt == nil {
			t.Errorf("%s is shown as it is", b.Name)
			continue
		}
		if got := dialecttest.Required(t, b.Schema); b.Tool != w.tool || got != w.required {
			t.Errorf("%s is %s, and requires %q", b.Name, b.Tool, got)
		}
	}
	if len(want) > 0 || len(bindings) != 16 {
		t.Errorf("%d tools, without %v", len(bindings), want)
	}
}

func shown() dialecttest.Toolset {
	return dialecttest.Toolset{
		Bindings: toolset.Get(),
		Absolute: func(tool, member string) bool {
			return member == "file_path" || member == "working_dir" || member == "path" && tool == "ls"
		},
		Refused: func(input jsontext.Value) string {
			var asked struct {
				Questions []shownQuestion `json:"questions"`
			}
			choiceless := func(q shownQuestion) bool { return q.Type != FreeText && len(q.Choices) == 0 }
			if json.Unmarshal(input, &asked) == nil && slices.ContainsFunc(asked.Questions, choiceless) {
				return "needs choices"
			}
			return ""
		},
	}
}

func TestToolSchemasAreClosed(t *testing.T) { shown().CheckClosed(t) }

func TestShownInputs(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	shown().CheckShows(t)
}

func TestAdaptedInputsFit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	shown().CheckAdapted(t)
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
		got, err := shown().Binding(t, row.name).Adapt(jsontext.Value(row.input))
		if err != nil || string(got) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
	for _, row := range []struct{ name, input, want string }{
		{"read_file", `{"file_path":"a.txt"}`, `file_path has to be an absolute path, which "a.txt" is not: begin it with the folder of the workspace`},
		{"write_file", `{"file_path":"","content":"x"}`, `file_path has to be an absolute path, which "" is not: begin it with the folder of the workspace`},
		{"edit_file", `{"file_path":"./a","old_string":"x","new_string":"y"}`, `file_path has to be an absolute path, which "./a" is not: begin it with the folder of the workspace`},
		{"multi_edit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`, `file_path has to be an absolute path, which "a" is not: begin it with the folder of the workspace`},
		{"ls", `{"path":"."}`, `path has to be an absolute path, which "." is not: begin it with the folder of the workspace`},
		{"bash", `{"command":"ls","working_dir":"a"}`, `working_dir has to be an absolute path, which "a" is not: begin it with the folder of the workspace`},
		{"ask_user_questions", `{"questions":[{"text":"Which?","type":"SingleChoice","choices":[]}]}`, `the question "Which?" needs choices, or the type FreeText`},
		{"ask_user_questions", `{"questions":[{"text":"Which?","type":"MultiChoice"}]}`, `the question "Which?" needs choices, or the type FreeText`},
	} {
		if got, err := shown().Binding(t, row.name).Adapt(jsontext.Value(row.input)); err == nil || err.Error() != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func TestReads(t *testing.T) { dialecttest.CheckReads(t, Options(Flags{}), "read_file", "file_path") }
