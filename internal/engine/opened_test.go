package engine

import (
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestOpened: each session is reported before its caller has it, with the number of its next record, and a subagent with the call
// that it works for.
func TestOpened(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool(), submitting(), delegate(func(w *tool.SubagentTask) { w.Agent = "explore" }, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)),
		call(toolCall("2", "submit_result", `{"text":"found"}`)),
		say("done"),
	)
	var reported []Opened
	report := func(h *Host) *Host {
		h.cfg.Opened = func(o Opened) { reported = append(reported, o) }
		return h
	}
	h := report(b.host())
	s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "go", nil)
	head, turn := s.State().Head, records[len(records)-1].Turn
	child := find[event.SubagentStarted](records)[0].Session
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	fork, err := h.Fork(t.Context(), s.ID(), 0, NewSession{}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	again, err := report(b.host()).Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	type opened struct {
		id     event.SessionID
		from   uint64
		others bool
		work   Work
	}
	var got []opened
	for _, o := range reported {
		got = append(got, opened{o.Session.ID(), o.From, o.Others, o.Work})
	}
	want := []opened{
		{id: s.ID(), from: 1},
		{id: child, from: 1, work: Work{Session: s.ID(), Turn: turn, Call: "1", Agent: "explore"}},
		{id: fork.ID(), from: fork.State().Head + 1},
		{id: s.ID(), from: head + 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("reported %+v\nwant     %+v", got, want)
	}
	for _, open := range []*Session{fork, again} {
		if err := open.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
