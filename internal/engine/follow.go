package engine

import (
	"context"
	"iter"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sessionlog"
)

// logConfig returns what the log of the session needs from it.
func (s *Session) logConfig() sessionlog.Config {
	return sessionlog.Config{
		Store: s.host.cfg.Store, Now: s.host.cfg.Now, Log: s.host.cfg.Log,
		Lock:  &s.mu,
		Apply: func(rec event.Record) { s.fold.Apply(rec) },
		Unsaved: func(err error) event.Event {
			return event.Notice{Level: event.Error, Code: NoticeUnsaved, Text: err.Error()}
		},
		Synced: s.giveBack,
	}
}

// Follow yields the session's records: the durable ones from number from on (0: all) and, as they
// happen, transient ones of the kinds named; see sessionlog.Log.Follow. It ends when the session is
// closed and all was yielded, with an error if the journal cannot be read, and with the cause of ctx.
func (s *Session) Follow(ctx context.Context, from uint64, transient ...event.Kind) iter.Seq2[event.Record, error] {
	return s.log.Follow(ctx, from, nil, transient...)
}

// FollowPaced is Follow for a caller to whom each delta costs much, however short it is: after each
// delta it calls gap, and merges those that arrive within that time.
func (s *Session) FollowPaced(ctx context.Context, from uint64, gap func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error] {
	return s.log.Follow(ctx, from, gap, transient...)
}

// Records yields the durable records that exist now.
func (s *Session) Records(ctx context.Context) iter.Seq2[event.Record, error] {
	return s.recordsFrom(ctx, 1)
}

func (s *Session) recordsFrom(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	head := s.Head()
	if head < from {
		return func(func(event.Record, error) bool) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	records := s.Follow(ctx, from)
	return func(yield func(event.Record, error) bool) {
		defer cancel()
		for rec, err := range records {
			if !yield(rec, err) || err != nil || rec.Seq == head {
				return
			}
		}
	}
}

// Blob returns a payload that a record of this session names.
func (s *Session) Blob(address string) ([]byte, error) { return s.log.Blob(address) }

// unsaved reports whether the session has records that are not in its journal.
func (s *Session) unsaved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Pending() > 0
}
