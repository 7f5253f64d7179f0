package engine

import (
	"context"
	"fmt"
	"iter"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/session"
)

// Import makes a session of records that another program has kept; times, turns and origins
// stay. Record 1 is made of n, so the i-th of records, counted from 0, gets number i+2: that
// is how Branched.Head, Compacted.KeptFrom and Labelled.Target name them. A head may be any
// record before, also one that is no message: it stands for the history as it was after that.
//
// Images with data become blobs, and what records name is taken from blob, which may be nil.
// Calls whose ids were used before get others. What is open at the end is closed, as
// interrupted; before it, whatever ends must have begun, and a turn ends last. It is on disk
// when Import returns. Records are read once and not kept. ErrExists.
func (h *Host) Import(ctx context.Context, n NewSession, records iter.Seq2[event.Record, error], blob func(address string) ([]byte, error), o Options) (*Session, error) {
	workspace, err := h.admit(n.ID, n.Workspace)
	if err != nil {
		return nil, err
	}
	s, err := newSession(h, n.ID, o)
	if err != nil {
		return nil, err
	}
	check := session.NewImportCheck(s.fold)
	admit := func(rec *event.Record) error {
		if rec.Seq == 1 {
			return nil
		}
		if e, ok := rec.Event.(event.BackendOpened); ok {
			e.Copied = true
			rec.Event = e
		}
		if rec.Time.IsZero() {
			rec.Time = h.cfg.Now().UTC()
		}
		return check.Check(rec)
	}
	all := func(yield func(event.Record, error) bool) {
		if !yield(s.created(n, workspace), nil) {
			return
		}
		seq := uint64(1)
		for rec, err := range records {
			if err == nil {
				err = ctx.Err()
			}
			seq++
			rec.Seq = seq
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
	imported, err := h.takeIn(intake{ctx: ctx, s: s, records: all, edit: admit, blob: blob}, nil)
	if err != nil {
		return nil, fmt.Errorf("import session: %w", err)
	}
	return imported, nil
}
