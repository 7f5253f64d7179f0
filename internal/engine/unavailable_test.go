package engine

import (
	"context"
	"errors"
	"io"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// awayStore is a store whose requests fail.
type awayStore struct {
	journal.Store
	err error
}

func (s awayStore) Open(context.Context, event.SessionID, func(event.Record) error) (journal.Journal, error) {
	return nil, s.err
}

func (s awayStore) Resume(context.Context, event.SessionID, func(event.Record) error) (journal.Journal, error) {
	return nil, s.err
}

func (s awayStore) List(context.Context, journal.Query) (journal.Page, error) {
	return journal.Page{}, s.err
}

// TestUnavailable: whatever error a store fails with, requests that read it fail with ErrUnavailable, unless the error is one of the session.
func TestUnavailable(t *testing.T) {
	b := newBench(t, nil)
	for _, test := range []struct {
		err  error
		away bool
	}{
		{errors.New("nats: outbound buffer limit exceeded"), true},
		{context.DeadlineExceeded, true},
		{syscall.EIO, true},
		{io.ErrUnexpectedEOF, true},
		{journal.ErrNotFound, false},
		{journal.ErrClosed, false},
		{&journal.LockedError{ID: "s", Busy: true}, false},
		{&journal.DamageError{Path: "p"}, false},
	} {
		h := b.sharedHost(Sharing{Left: EndWhenLeft})
		h.cfg.Store = awayStore{h.cfg.Store, test.err}
		_, open := h.Open(t.Context(), "s", b.options())
		_, view := h.View(t.Context(), "s", b.options())
		_, list := h.List(t.Context(), Query{})
		for verb, err := range map[string]error{"Open": open, "View": view, "List": list} {
			if errors.Is(err, ErrUnavailable) != test.away || !errors.Is(err, test.err) {
				t.Errorf("%s of a store that fails with %q: %v", verb, test.err, err)
			}
		}
	}
}
