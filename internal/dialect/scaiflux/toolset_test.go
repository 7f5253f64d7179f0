package scaiflux

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/racetest"
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
		"Agent":       {"", "workspace-write", ""}, // shown as it is, where there are subagents
	}
	bindings := toolset.Get()
	if len(bindings) != len(want) {
		t.Errorf("%d tools, want %d", len(bindings), len(want))
	}
	for i, b := range bindings {
		w, known := want[b.Name]
		if !known {
			t.Errorf("unexpected tool %s", b.Name)
			continue
		}
		if got := required(t, b); got != w.required {
			t.Errorf("%s requires %q, want %q", b.Name, got, w.required)
		}
		if got := requiredMode(b.Name); got != w.mode || b.Group != w.gadget {
			t.Errorf("%s: mode %s, gadget %q", b.Name, got, b.Group)
		}
		if b.Description == "" && b.Schema != nil || i < 6 && b.Group != "" {
			t.Errorf("%s has no description, or is no core tool", b.Name)
		}
	}
	if requiredMode("no such tool") != "" {
		t.Error("an unknown tool has a mode")
	}
}

// required returns the required keys of an input that is not the tool's own.
func required(t *testing.T, b engine.Binding) string {
	if b.Schema == nil {
		return ""
	}
	return dialecttest.Required(t, b.Schema)
}

func shown() dialecttest.Toolset {
	return dialecttest.Toolset{Bindings: toolset.Get(), Refused: func(input jsontext.Value) string {
		if strings.Contains(string(input), `"run_in_background":true`) {
			return "run_in_background"
		}
		return ""
	}}
}

func TestSchemasAreClosed(t *testing.T) { shown().CheckClosed(t) }

func TestShownInputs(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	shown().CheckShows(t)
}

func TestAdaptedInputsFit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	shown().CheckAdapted(t)
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
		got, err := shown().Binding(t, row.name).Adapt(jsontext.Value(row.input))
		if err != nil || string(got) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func TestReads(t *testing.T) { dialecttest.CheckReads(t, Options(Flags{}), "read_file", "path") }
