package engine

import (
	"context"
	"iter"
	"slices"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Follow yields the session's records: the durable ones from number from on (0: all), and,
// as they happen, transient ones of the kinds named. It follows from the moment of the
// call, not of the first iteration, so nothing falls between; range over it once. It ends when
// the session is closed and all was yielded, with an error when the journal cannot be
// read, and with the cause of ctx.
//
// A slow follower costs bounded memory and loses nothing: adjacent deltas merge, the rest
// waits on disk.
func (s *Session) Follow(ctx context.Context, from uint64, transient ...event.Kind) iter.Seq2[event.Record, error] {
	return s.follow(ctx, from, newFollower(transient))
}

// FollowPaced is Follow for those whom each delta costs much, however short it is. Behind a
// delta gap is asked, by whoever ranges, how long the next one has to wait: what comes
// meanwhile merges with it. Any other record that comes ends the wait at once, and so does the end.
func (s *Session) FollowPaced(ctx context.Context, from uint64, gap func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error] {
	f := newFollower(transient)
	f.pace.gap = gap
	return s.follow(ctx, from, f)
}

func (s *Session) follow(ctx context.Context, from uint64, f *follower) iter.Seq2[event.Record, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := s.fold.state.Head - uint64(len(s.backlog))
	for _, rec := range s.backlog {
		if rec.Seq >= from {
			f.push(rec)
		}
	}
	log := s.log
	if s.closed {
		f.finish()
	} else {
		s.followers[f] = struct{}{}
	}
	return func(yield func(event.Record, error) bool) {
		defer s.unfollow(f)
		if from <= stored && log != nil && !s.yieldStored(ctx, log, from, stored, yield) {
			return
		}
		for {
			rec, ok, err := f.next(ctx)
			if err == nil && ok {
				err = s.gate.wait(ctx)
			}
			if err != nil {
				yield(event.Record{}, err)
				return
			}
			if !ok || !yield(rec, nil) {
				return
			}
		}
	}
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

func (s *Session) unfollow(f *follower) {
	s.mu.Lock()
	delete(s.followers, f)
	s.mu.Unlock()
	f.close()
}

// yieldStored yields the records from … to, which are in the log; false: it is over.
func (s *Session) yieldStored(ctx context.Context, log journal.Journal, from, to uint64, yield func(event.Record, error) bool) bool {
	if err := s.gate.wait(ctx); err != nil {
		yield(event.Record{}, err)
		return false
	}
	for rec, err := range log.Read(ctx, from) {
		if err == nil {
			if rec.Seq > to {
				return true
			}
			err = loadOutput(&rec, log.Blob)
		}
		if err != nil {
			yield(event.Record{}, err)
			return false
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// wants says whether a follower asked for records of this kind.
func (f *follower) wants(rec event.Record) bool {
	return rec.Seq != 0 || slices.Contains(f.transient, rec.Event.Kind())
}
