package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// TestOrigin: each answer of a request's history names the provider and the model that it is from,
// also in the next process. The provider is missing in records of older programs.
func TestOrigin(t *testing.T) {
	root := t.TempDir()
	b := newBench(t, nil, say("one"), say("two"), say("three"))
	s, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: t.TempDir()}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	turnOf(t, s, "a", nil)
	id := s.ID()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = b.reopened(t, b.onDisk(t, root), id, b.options())
	b.info = model.Info{ID: "other", Provider: "elsewhere", ContextWindow: 100_000}
	turnOf(t, s, "b", nil)
	turnOf(t, s, "c", nil)

	var got []string
	requests := b.requests()
	for _, m := range requests[len(requests)-1].Messages {
		got = append(got, m.Provider+"/"+m.Model)
	}
	if diff := cmp.Diff([]string{"/", "script/test", "/", "elsewhere/other", "/"}, got); diff != "" {
		t.Error(diff)
	}
}
