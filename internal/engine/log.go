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
		Lock: &s.mu,
		Apply: func(rec event.Record) {
			s.fold.Apply(rec)
			s.host.watchers.note(s.id)
		},
		Unsaved: func(err error) event.Event {
			return event.Notice{Level: event.Error, Code: NoticeUnsaved, Text: err.Error()}
		},
		Synced: s.giveBack, Lost: s.lose, Failed: s.stopUnsaved,
	}
}

// A Log is what the records of a session are read from.
type Log struct{ s *Session }

// Log returns the log of the session.
func (s *Session) Log() Log { return Log{s} }

// Follow yields the session's records: the durable ones from number from on (0: all) and, as they
// happen, transient ones of the kinds named; see sessionlog.Log.Follow. It ends when the session is
// closed and all was yielded, with an error if the journal cannot be read, and with the cause of ctx.
func (l Log) Follow(ctx context.Context, from uint64, transient ...event.Kind) iter.Seq2[event.Record, error] {
	return l.s.log.Follow(ctx, from, nil, transient...)
}

// FollowPaced is Follow for a caller for which each delta is expensive, however short it is: after each
// delta it calls gap, and merges those that arrive within that time.
func (l Log) FollowPaced(ctx context.Context, from uint64, gap func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error] {
	return l.s.log.Follow(ctx, from, gap, transient...)
}

// Records yields the durable records that exist now.
func (l Log) Records(ctx context.Context) iter.Seq2[event.Record, error] {
	return l.RecordsFrom(ctx, 1)
}

// RecordsFrom yields the durable records that exist now, from that number on. Those before it are not read.
func (l Log) RecordsFrom(ctx context.Context, number uint64) iter.Seq2[event.Record, error] {
	head, err := l.s.savedHead()
	if err != nil {
		return func(yield func(event.Record, error) bool) { yield(event.Record{}, err) }
	}
	if head < number {
		return func(func(event.Record, error) bool) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	records := l.Follow(ctx, number)
	return func(yield func(event.Record, error) bool) {
		defer cancel()
		for rec, err := range records {
			if err == nil && rec.Seq == 0 { // the session can be saved no more, or has moved
				yield(event.Record{}, ErrUnsaved)
				return
			}
			if !yield(rec, err) || err != nil || rec.Seq == head {
				return
			}
		}
	}
}

// Head returns the number of the last record that followers may receive: in a deferred store, that is acknowledged.
func (l Log) Head() uint64 {
	s := l.s
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(s.fold.State.Head, s.log.Visible())
}

// Waited returns for how long a deferred store has not acknowledged anything of what waits for it; 0: nothing waits.
func (l Log) Waited() time.Duration { return l.s.log.Waited() }

// Stored returns a record as the journal has it: what is large is named by its address.
func (l Log) Stored(rec event.Record) (event.Record, error) { return l.s.log.Stored(rec) }

// PutBlob stores data next to the journal, and returns its address. For a deferred store it does not wait longer than a verb
// does: then the error is ErrOutcomeUnknown, and data may be stored later. ErrUnsaved, ErrClosed.
func (l Log) PutBlob(ctx context.Context, data []byte) (address string, err error) {
	s := l.s
	if err := s.lockToWrite(); err != nil {
		return "", err
	}
	defer s.unlock()
	if _, err := s.create(); err != nil {
		return "", err
	}
	if err := s.log.Flush(); err != nil { // blobs need the journal's folder
		return "", err
	}
	if !s.log.Deferred() {
		return s.log.PutBlob(data)
	}
	s.lease.claims++ // until it is stored
	s.mu.Unlock()
	defer s.mu.Lock()
	return s.saveBlob(ctx, data)
}

// saveBlob stores data in a deferred store. It ends a claim of the lease, also if that is after it has returned.
func (s *Session) saveBlob(ctx context.Context, data []byte) (address string, err error) {
	ctx, cancel := s.host.storeContext(ctx)
	defer cancel()
	stored := make(chan struct{})
	var saved string
	var failure error
	go func() {
		saved, failure = s.log.SaveBlob(data)
		close(stored)
		s.mu.Lock()
		defer s.unlock()
		s.lease.claims--
	}()
	select {
	case <-stored:
		return saved, failure
	case <-ctx.Done():
		return "", ErrOutcomeUnknown
	}
}

// Blob returns a payload that a record of this session names.
func (l Log) Blob(address string) ([]byte, error) { return l.s.log.Blob(address) }

// unsaved reports whether the session has records that are not in its journal.
func (s *Session) unsaved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Pending() > 0
}
