package codex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/racetest"
)

// TestToolset: the tools that models of this family know, and which are ours. All others are ours under other names.
func TestToolset(t *testing.T) {
	offered().CheckShown(t, map[string]struct{ Tool, Required string }{
		"exec_command":       {"shell", "cmd"},
		"start_command":      {"background_start", "cmd"},
		"write_stdin":        {"background", "session_id"},
		"list_dir":           {"list", "dir_path"},
		"view_image":         {"read", "path"},
		"update_plan":        {"plan", "plan"},
		"request_user_input": {"ask", "questions"},
		"apply_patch":        {"patch", "input"},
		"read_file":          {"read", "path"},
	})
	if n := len(toolset.Get()); n != 17 {
		t.Errorf("%d tools", n)
	}
	for _, b := range toolset.Get() {
		if (b.Group != "") != (b.Name == "request_user_input" || b.Name == "update_goal") || (b.Family != "") != (b.Name == "apply_patch") {
			t.Errorf("%s is in group %q, family %q", b.Name, b.Group, b.Family)
		}
	}
}

func offered() dialecttest.Toolset {
	return dialecttest.Toolset{
		Bindings: toolset.Get(),
		Refused: func(input jsontext.Value) string {
			var in struct {
				Chars     string          `json:"chars"`
				Questions []namedQuestion `json:"questions"`
			}
			_ = json.Unmarshal(input, &in)
			ids := map[string]bool{}
			for _, q := range in.Questions {
				ids[q.ID] = true
			}
			switch {
			case strings.Contains(in.Chars, "\x03") && in.Chars != "\x03":
				return "alone"
			case len(ids) < len(in.Questions):
				return "have the id"
			}
			return ""
		},
	}
}

func TestToolSchemasAreClosed(t *testing.T) { offered().CheckClosed(t) }

func TestShownInputs(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	offered().CheckShows(t)
}

func TestAdaptedInputsFit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	offered().CheckAdapted(t)
}

// TestAdapt has inputs of each tool, word for word.
func TestAdapt(t *testing.T) {
	for _, row := range []struct{ name, input, want string }{
		{"exec_command", `{"cmd":"ls"}`, `{"command":"ls"}`},
		{"exec_command", `{"cmd":"ls","workdir":"a","timeout_ms":7}`, `{"command":"ls","dir":"a","timeout_ms":7}`},
		{"exec_command", `{"cmd":"ls","sandbox_permissions":"use_default","justification":"x"}`, `{"command":"ls","escalate":false}`},
		{"exec_command", `{"cmd":"ls","justification":"x"}`, `{"command":"ls"}`},
		{"exec_command", `{"cmd":"ls","sandbox_permissions":"require_escalated","justification":"May I?"}`, `{"command":"ls","escalate":true,"justification":"May I?"}`},
		{"exec_command", `{"cmd":"ls","sandbox_permissions":"require_escalated"}`, `{"command":"ls","escalate":true}`},
		{"start_command", `{"cmd":"ls","workdir":"a"}`, `{"command":"ls","dir":"a"}`},
		{"write_stdin", `{"session_id":"b1"}`, `{"action":"read","id":"b1"}`},
		{"write_stdin", `{"session_id":"b1","chars":"","yield_time_ms":9}`, `{"action":"read","id":"b1","wait_ms":9}`},
		{"write_stdin", `{"session_id":"b1","chars":"y\n","yield_time_ms":9}`, `{"action":"write","id":"b1","input":"y\n","newline":false}`},
		{"write_stdin", `{"session_id":"b1","chars":"\u0003"}`, `{"action":"stop","id":"b1"}`},
		{"list_dir", `{"dir_path":"a"}`, `{"depth":2,"path":"a"}`},
		{"list_dir", `{"dir_path":"a","depth":1,"offset":3,"limit":4}`, `{"depth":1,"limit":4,"offset":3,"path":"a"}`},
		{"view_image", `{"path":"a.png"}`, `{"path":"a.png"}`},
		{
			"update_plan", `{"explanation":"why","plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}`,
			`{"items":[{"text":"a","status":"completed"},{"text":"b","status":"in_progress"}]}`,
		},
		{"update_plan", `{"plan":[]}`, `{"items":[]}`},
		{
			"request_user_input", `{"questions":[{"id":"a","header":"H","question":"Q?","options":[{"label":"x"}]}]}`,
			`{"format":"json","questions":[{"header":"H","options":[{"label":"x"}],"question":"Q?"}]}`,
		},
	} {
		got, err := offered().Binding(t, row.name).Adapt(jsontext.Value(row.input))
		if canonical := got.Clone(); err != nil || canonical.Canonicalize() != nil || string(canonical) != canonicalText(t, row.want) {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
	for _, row := range []struct{ name, input, want string }{
		{"write_stdin", `{"session_id":"b1","chars":"x\u0003"}`, `\u0003 stops the command, and can only be sent alone`},
		{"request_user_input", `{"questions":[{"id":"a","question":"x"},{"id":"a","question":"y"}]}`, `two questions have the id "a"`},
	} {
		if got, err := offered().Binding(t, row.name).Adapt(jsontext.Value(row.input)); fmt.Sprint(err) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func canonicalText(t *testing.T, text string) string {
	t.Helper()
	value := jsontext.Value(text)
	if err := value.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(value)
}

// TestShowExec: a call that is to leave the sandbox is shown so.
func TestShowExec(t *testing.T) {
	b := offered().Binding(t, "exec_command")
	for input, want := range map[string]string{
		`{"command":"ls","escalate":true,"justification":"x"}`:  `{"cmd":"ls","justification":"x","sandbox_permissions":"require_escalated"}`,
		`{"command":"ls","escalate":false,"justification":"x"}`: `{"cmd":"ls","sandbox_permissions":"use_default"}`,
	} {
		if got, err := b.Show(jsontext.Value(input)); err != nil || string(got) != want {
			t.Errorf("%s is shown as %s, %v; want %s", input, got, err, want)
		}
	}
}

// TestQuestionResults: answers have the names of their questions; what is no list of answers stays.
func TestQuestionResults(t *testing.T) {
	adapt := offered().Binding(t, "request_user_input").AdaptResult
	const input = `{"questions":[{"id":"a","question":"same"},{"id":"b","question":"other"},{"id":"c","question":"same"}]}`
	for _, row := range []struct {
		text   string
		failed bool
		want   string
	}{
		{
			`{"answers":[{"question":"same","answer":["1"]},{"question":"other","answer":["2","3"]},{"question":"same","answer":["4"]}]}`, false,
			`{"answers":{"a":{"answers":["1"]},"b":{"answers":["2","3"]},"c":{"answers":["4"]}}}`,
		},
		{`{"answers":[{"question":"other","answer":["2"]}]}`, false, `{"answers":{"b":{"answers":["2"]}}}`},
		{`{"answers":[]}`, false, `{"answers":{}}`},
		{`no`, false, `no`},
		{`{"answers":[]}`, true, `{"answers":[]}`},
	} {
		if got := adapt(jsontext.Value(input), engine.CallResult{Text: row.text, Failed: row.failed}); got.Text != row.want {
			t.Errorf("%s became %s, want %s", row.text, got.Text, row.want)
		}
	}
}
