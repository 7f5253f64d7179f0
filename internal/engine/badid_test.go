package engine

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

// TestBadID: an id that no store takes is refused when a session is made, not by its first prompt.
func TestBadID(t *testing.T) {
	b := newBench(t, nil)
	s := b.session(t, nil)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	var none iter.Seq2[event.Record, error] = func(func(event.Record, error) bool) {}
	h := b.host()
	for _, id := range []event.SessionID{"../../etc", "a/b", `a\b`, "..", ".", "a\x00", "a\x1b[m", "\xff", event.SessionID(strings.Repeat("x", 129))} {
		n := NewSession{ID: id, Workspace: t.TempDir()}
		_, created := h.Create(t.Context(), n, b.options())
		_, imported := h.Import(t.Context(), n, none, nil, b.options())
		_, forked := h.Fork(t.Context(), s.ID(), 0, n, b.options())
		_, forkedHere := h.Fork(t.Context(), s.ID(), 0, NewSession{ID: id}, b.options())
		for _, err := range []error{created, imported, forked, forkedHere} {
			if !errors.Is(err, ErrBadID) {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
}
