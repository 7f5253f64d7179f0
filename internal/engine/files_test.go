package engine

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// TestChangesOfRunningTurn: what a turn has changed is reported while it runs, without the changes of turns before it, and relative to the
// folder that it works in.
func TestChangesOfRunningTurn(t *testing.T) {
	var s *Session
	var running ChangedFiles
	change := fakeTool{name: "change", run: func(_ context.Context, _ tool.Hooks, input string) tool.Result {
		name := "second"
		if strings.Contains(input, "first") {
			name = "first"
		}
		return tool.Result{Text: "done", Changes: []event.FileChange{{Path: name, Op: event.Created, Added: 1, Diff: "+" + name}}}
	}}
	look := fakeTool{name: "look", run: func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		var err error
		if running, err = s.Files().Changes(ctx, s.State().Turn); err != nil {
			t.Error(err)
		}
		return tool.Result{Text: "seen"}
	}}
	b := newBench(t, []fakeTool{change, look},
		call(model.Call{ID: "c-1", Name: "change", Input: []byte(`{"text":"first"}`)}), say("one"),
		call(model.Call{ID: "c-2", Name: "change", Input: []byte(`{"text":"second"}`)}), call(model.Call{ID: "c-3", Name: "look", Input: []byte(`{}`)}), say("two"))
	s = b.session(t, nil)
	turnOf(t, s, "go", nil)
	if err := s.Change(func(settings *event.Settings) { settings.Dir = resolved(t, t.TempDir()) }); err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "again", nil)
	after, err := s.Files().Changes(t.Context(), records[len(records)-1].Turn)
	if err != nil || len(after.Files) != 1 || after.Files[0].Path != "second" {
		t.Fatalf("%+v, %v", after, err)
	}
	if !reflect.DeepEqual(running.Files, after.Files) {
		t.Errorf("while it runs %+v, after it %+v", running.Files, after.Files)
	}
}
