package sessionlog

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Follow yields the records: the durable ones from number from on (0: all) and, as they happen,
// transient ones of the kinds named. It follows from the moment of the call, not of the first
// iteration, so that no record is missed; range over it once. It ends when the Log is closed and
// everything was yielded, with an error if the journal cannot be read, and with the cause of ctx.
//
// A slow follower costs bounded memory and loses nothing: adjacent deltas merge, the rest waits
// on disk.
//
// If gap is not nil, it is called by the range after each delta, and returns how long the next
// delta waits; deltas that arrive within that time merge with it, also while gap itself blocks.
// Any other record, and the end, cut the wait short.
//
// Follow takes the lock.
func (l *Log) Follow(ctx context.Context, from uint64, gap func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error] {
	f := newFollower(transient)
	f.pace.gap = gap
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	l.deliverHeld() // it is from before the call
	stored := l.head - uint64(len(l.backlog))
	if l.lost && l.writer != nil {
		stored = min(stored, l.writer.acks.last.Load())
	}
	for _, rec := range l.backlog {
		if rec.Seq >= from {
			f.push(rec)
		}
	}
	j := l.journal
	if l.closing {
		f.finish()
	} else {
		l.followers[f] = struct{}{}
	}
	return func(yield func(event.Record, error) bool) {
		defer l.unfollow(f)
		if from <= stored && j != nil && !l.yieldStored(ctx, f, j, from, stored, yield) {
			return
		}
		for lost := false; ; {
			rec, ok, err := f.next(ctx)
			if err == nil && ok {
				var goes bool
				if goes, err = l.awaitVisible(ctx, f, rec, yield); !goes {
					return
				}
			}
			if lost = lost || errors.Is(err, errNoAck); lost && ok && (rec.Seq != 0 || slices.Contains(transient, rec.Event.Kind())) {
				continue // it is not stored, or it was shown after one that is not
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

// awaitVisible waits until a record may be delivered, and has it on disk if nothing else does. Before that it yields what ShowAhead
// delivers ahead of it. It reports whether the range goes on.
func (l *Log) awaitVisible(ctx context.Context, f *follower, rec event.Record, yield func(event.Record, error) bool) (goes bool, err error) {
	l.startSync(rec.Seq)
	for {
		err := l.acks.wait(ctx, rec.Seq, f.ahead.came) // of a transient one 0: those before it are stored
		for _, first := range f.takeAhead(rec.Seq) {
			if !yield(first, nil) {
				return false, nil
			}
		}
		if err != errWaitStopped {
			return true, err
		}
	}
}

func (l *Log) unfollow(f *follower) {
	l.cfg.Lock.Lock()
	delete(l.followers, f)
	l.cfg.Lock.Unlock()
	f.close()
}

// yieldStored yields the records from … to, which are in the journal. It reports whether the
// range goes on.
func (l *Log) yieldStored(ctx context.Context, f *follower, j journal.Journal, from, to uint64, yield func(event.Record, error) bool) bool {
	for rec, err := range j.Read(ctx, from) {
		if err == nil {
			if rec.Seq > to {
				return true
			}
			err = LoadOutput(&rec, j.Blob)
		}
		if err == nil {
			var goes bool
			if goes, err = l.awaitVisible(ctx, f, rec, yield); !goes {
				return false
			}
		}
		if errors.Is(err, errNoAck) {
			return true // it is not on disk, and the log is closed
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

// wants reports whether the follower receives records of this kind.
func (f *follower) wants(rec event.Record) bool {
	return rec.Seq != 0 || slices.Contains(f.transient, rec.Event.Kind())
}
