package engine

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// TestInterruptNote: after an interrupted answer the model reads, before the next prompt, that the
// user interrupted it: once, and also in the next process.
func TestInterruptNote(t *testing.T) {
	var s *Session
	cut := func(ctx context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		yield(model.Delta{Kind: model.TextDelta, Text: "Half an"}, nil)
		s.Interrupt()
		<-ctx.Done()
		yield(model.Delta{}, context.Cause(ctx))
	}
	root := t.TempDir()
	b := newBench(t, nil, cut, say("Whole."), say("Whole."))
	s, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: t.TempDir()}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	if end := ended(t, turnOf(t, s, "one", nil)); end.Reason != event.TurnInterrupted {
		t.Fatalf("the turn ended %s", end.Reason)
	}
	id := s.ID()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = b.reopened(t, b.onDisk(t, root), id, b.options())
	turnOf(t, s, "two", nil)
	turnOf(t, s, "three", nil)
	requests := b.requests()
	var said []string
	for _, m := range requests[len(requests)-1].Messages {
		said = append(said, m.Text())
	}
	want := []string{"one", "Half an", session.InterruptNote + "\n\ntwo", "Whole.", "three"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}
