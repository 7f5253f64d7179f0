package pisces

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/racetest"
)

func toolsWith(f Flags) []string {
	var names []string
	for _, b := range toolset(f) {
		names = append(names, b.Name)
	}
	return names
}

func shown() dialecttest.Toolset {
	return dialecttest.Toolset{Bindings: toolset(Flags{})}
}

// TestToolset holds the names and the required members to the table of what the family has.
func TestToolset(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ Tool, Required string }{
		"read": {"read", "path"}, "bash": {"shell", "command"}, "edit": {"edit", "path"}, "write": {"write", "path content"},
		"grep": {"grep", "pattern"}, "find": {"glob", "pattern"}, "ls": {"list", ""}, "web_search": {"search", "query"},
	}
	shown().CheckShown(t, want)
	for _, test := range []struct {
		flags Flags
		want  string
	}{
		{Flags{Tools: []string{"grep", "read", "oven"}}, "read grep"},
		{Flags{NoTools: true}, ""},
		{Flags{NoTools: true, Tools: []string{"read"}}, ""},
	} {
		if got := strings.Join(toolsWith(test.flags), " "); got != test.want {
			t.Errorf("%+v leaves %q", test.flags, got)
		}
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
	t.Parallel()
	for _, row := range []struct{ name, input, want string }{
		{"read", `{"path":"a"}`, `{"limit":500,"path":"a"}`},
		{"read", `{"path":"a","offset":1,"limit":7,"raw":true}`, `{"limit":7,"line_numbers":false,"offset":1,"path":"a"}`},
		{"read", `{"path":"a","offset":11.0,"raw":false}`, `{"limit":500,"line_numbers":true,"offset":11,"path":"a"}`},
		{"bash", `{"command":"ls"}`, `{"command":"ls","timeout_ms":300000}`},
		{"bash", `{"command":"ls","timeout":1.5,"cwd":"/a"}`, `{"command":"ls","dir":"/a","timeout_ms":1500}`},
		{"bash", `{"command":"ls","timeout":0.0001}`, `{"command":"ls","timeout_ms":1}`},
		{"edit", `{"path":"a","old_text":"x","new_text":"y","all":true}`, `{"new":"y","old":"x","path":"a","replace_all":true}`},
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`, `{"edits":[{"old":"x","new":"y"}],"path":"a"}`},
		{"write", `{"path":"a","content":"x"}`, `{"content":"x","path":"a"}`},
		{"grep", `{"pattern":"x"}`, `{"head_limit":100,"mode":"content","pattern":"x"}`},
		{"grep", `{"pattern":"x","i":true,"pre":1,"post":2,"gitignore":false,"limit":3}`, `{"after":2,"before":1,"head_limit":3,"ignore_case":true,"ignored":true,"mode":"content","pattern":"x"}`},
		{"ls", `{}`, `{"depth":1,"limit":500,"path":"."}`},
	} {
		got, err := shown().Binding(t, row.name).Adapt(jsontext.Value(row.input))
		if err != nil || string(got) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func TestReads(t *testing.T) {
	dialecttest.CheckReads(t, engine.Options{Toolset: toolset(Flags{})}, "read", "path")
}
