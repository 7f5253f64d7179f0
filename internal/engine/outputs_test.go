package engine

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestWholeOutput checks that the whole of an output that was cut is a file that the session's tools
// may read like those of the workspace, but not write, until the session is closed.
func TestWholeOutput(t *testing.T) {
	whole := strings.Repeat("line\n", 20_000)
	b := newBench(t, []fakeTool{workTool(func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: "cut", Full: []byte(whole), Shell: &event.ShellRun{}}
	})}, call(toolCall("a", "work", `{}`)), say("done"))
	s := b.session(t, nil)
	got := find[event.ToolEnded](turnOf(t, s, "go", nil))[0]
	text, path, found := strings.Cut(got.Output, "\n[the whole output is in ")
	path, after, closed := strings.Cut(path, ": ")
	if text != "cut" || !found || !closed || after != "read or search that file]" || !strings.HasSuffix(got.Output, got.Shell.Note) {
		t.Fatalf("%q, note %q", got.Output, got.Shell.Note)
	}
	input, err := json.Marshal(map[string]any{"path": path, "offset": 19_999, "line_numbers": false})
	if err != nil {
		t.Fatal(err)
	}
	read, err := tool.Read().Prepare(s.work.env, input)
	if err != nil {
		t.Fatal(err)
	}
	if read.Request().Paths[0].Outside {
		t.Error("reading it is reading outside of the workspace")
	}
	if text := read.Run(t.Context(), tool.Hooks{}).Text; text != "line\nline\n" {
		t.Errorf("it ends with %q", text)
	}
	if p, err := s.work.env.Workspace.Resolve(path, true); err != nil || !p.Outside {
		t.Errorf("it can be written: %+v, %v", p, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after the end of the session: %v", err)
	}
}
