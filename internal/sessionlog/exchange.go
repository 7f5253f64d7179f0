package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// This file contains what a Log does with a deferred store that takes a while and changes what the Log may
// do: it creates the journal, acquires and releases its lease, and reads it. The lock is released meanwhile.

// closeTimeout is how long Close waits for acknowledgements.
const closeTimeout = 10 * time.Second

// errNoAnswer is wrapped by the errors of a store that does not answer in time.
var errNoAnswer = errors.New("the store does not answer")

// An exchange is one of these, which runs. AwaitExchange waits for its end.
type exchange struct {
	done      chan struct{} // closed when it has ended; err is set before
	err       error
	abandoned bool // nothing waits for it; the lock of the Log guards it
}

// Deferred reports whether the store is deferred; see journal.Store.
func (l *Log) Deferred() bool { return l.writer != nil }

// AwaitExchange waits until no Create, Acquire, Release or Save runs, which other goroutines have begun. It
// releases the lock meanwhile. The error is ErrUnsaved if ctx ends first.
func (l *Log) AwaitExchange(ctx context.Context) error {
	for l.writer != nil && l.writer.switched != nil {
		if err := l.awaitEnd(ctx, l.writer.switched); err != nil {
			return err
		}
	}
	return nil
}

// awaitEnd waits for the end of x with the lock released.
func (l *Log) awaitEnd(ctx context.Context, x *exchange) error {
	l.cfg.Lock.Unlock()
	defer l.cfg.Lock.Lock()
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return unsaved(errNoAnswer)
	}
}

// begin begins an exchange. None may run.
func (l *Log) begin() *exchange {
	x := &exchange{done: make(chan struct{})}
	l.writer.switched = x
	return x
}

// end ends an exchange.
func (l *Log) end(x *exchange, err error) {
	l.writer.switched, x.err = nil, err
	close(x.done)
}

// unlocked runs f as an exchange, with the lock released.
func (l *Log) unlocked(f func() error) error {
	x := l.begin()
	defer func() { l.end(x, nil) }()
	l.cfg.Lock.Unlock()
	defer l.cfg.Lock.Lock()
	return f()
}

// Create creates the journal of a deferred store if there is none; that of another store is created by
// Flush. It releases the lock meanwhile. If ctx ends first, the journal is created all the same, later, and
// the error wraps ErrUnsaved, as all do.
func (l *Log) Create(ctx context.Context) error {
	if err := l.AwaitExchange(ctx); err != nil || l.writer == nil || l.journal != nil {
		return err
	}
	x := l.begin()
	if created, ok := l.backlog[0].Event.(event.SessionCreated); ok {
		l.id = created.ID
	}
	first := l.backlog[:1]
	go func() {
		j, err := l.cfg.Store.Create(context.Background(), l.id, first)
		if !l.created(x, j, err) && err == nil {
			_ = j.Close() // nothing was accepted
		}
	}()
	l.cfg.Lock.Unlock()
	defer l.cfg.Lock.Lock()
	select {
	case <-x.done:
	case <-ctx.Done():
	}
	return l.outcome(x)
}

// outcome returns the error of x, which is abandoned if it has not ended. It takes the lock.
func (l *Log) outcome(x *exchange) error {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	select {
	case <-x.done:
		if x.err != nil {
			return unsaved(x.err)
		}
		return nil
	default:
		x.abandoned = true
		return unsaved(errNoAnswer)
	}
}

// created takes the journal that was created, and reports whether the Log uses it. It takes the lock.
func (l *Log) created(x *exchange, j journal.Journal, err error) (used bool) {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	used = err == nil && !l.closed
	if used {
		l.journal, l.leased = j, true
		l.writer.size.Add(-int64(backlogSize(l.backlog[0])))
		l.writer.appended, l.backlog = 1, l.backlog[1:]
		l.writer.acks.restart(1) // the others counted as stored while there was no journal
		l.WatchLease()
	} else if err != nil {
		l.cfg.Log.Error("session not created", "session", l.id, "error", err)
	}
	l.end(x, err)
	if !used {
		l.writer.acks.set(l.writer.head.Load()) // it is in no store, as before
		return used
	}
	l.startWriter()
	if x.abandoned {
		l.cfg.Synced()
	}
	return used
}

// acquire is Acquire of a deferred store. No exchange runs.
func (l *Log) acquire(ctx context.Context, each func(event.Record) error) error {
	if l.lost {
		return journal.ErrFenced
	}
	j := l.journal
	err := l.unlocked(func() error {
		return j.Acquire(ctx, func(rec event.Record) error {
			if err := LoadOutput(&rec, j.Blob); err != nil {
				return err
			}
			l.cfg.Lock.Lock()
			defer l.cfg.Lock.Unlock()
			return each(rec)
		})
	})
	switch {
	case err == nil:
		l.leased = true
		l.writer.begin(l.head)
	case ctx.Err() != nil:
		err = unsaved(errNoAnswer)
	}
	return err
}

// release is Release of a deferred store: it returns at once.
func (l *Log) release() {
	if l.writer.switched != nil || l.lost {
		return
	}
	x, j := l.begin(), l.journal
	j.SetBusy(false) // others that want the lease meanwhile wait for it
	l.leased = false
	go func() {
		err := j.Release()
		l.cfg.Lock.Lock()
		defer l.cfg.Lock.Unlock()
		l.end(x, err)
		if err == nil || l.lost || l.closed {
			return
		}
		l.leased = true
		if !errors.Is(err, journal.ErrFenced) {
			l.Report(err)
		}
		l.journal.SetBusy(true)
	}()
}

// Save is Flush that also waits until everything is acknowledged if the store is deferred. It releases the
// lock meanwhile; nothing else may write then. Unlike AwaitAck it returns the failure of an attempt to store.
func (l *Log) Save(ctx context.Context) error {
	if l.writer == nil {
		return l.Flush()
	}
	if err := l.Create(ctx); err != nil {
		return err
	}
	if err := l.AwaitExchange(ctx); err != nil {
		return err
	}
	if l.writer.failure != nil {
		return l.refusal()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.writer.failed = cancel
	defer func() { l.writer.failed = nil }()
	l.startWriter()
	return l.unlocked(func() error { return l.AwaitAck(ctx) })
}

// readUnlocked yields the records of the journal up to number to as an exchange; none may run. The lock is released
// except for yield.
func (l *Log) readUnlocked(ctx context.Context, to uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		_ = l.unlocked(func() error {
			for rec, err := range l.journal.Read(ctx, 1) {
				if err == nil && rec.Seq > to {
					return nil
				}
				if err != nil && ctx.Err() != nil {
					err = fmt.Errorf("%w: %w", errNoAnswer, err)
				}
				if !l.yieldLocked(rec, err, yield) || err != nil {
					return nil
				}
			}
			return nil
		})
	}
}

func (l *Log) yieldLocked(rec event.Record, err error, yield func(event.Record, error) bool) bool {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	return yield(rec, err)
}

// readStored yields the records of the journal that are stored.
func (l *Log) readStored(ctx context.Context) iter.Seq2[event.Record, error] {
	if l.writer == nil {
		return l.journal.Read(ctx, 1)
	}
	return l.readUnlocked(ctx, l.head-uint64(len(l.backlog)))
}

// closeDeferred is Close of a deferred store.
func (l *Log) closeDeferred() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := l.saveLast(ctx)
	l.closed, l.leased = true, false
	l.writer.acks.end()
	for f := range l.followers {
		f.finish()
	}
	j := l.journal
	if j == nil {
		return err
	}
	l.cfg.Lock.Unlock()
	defer l.cfg.Lock.Lock()
	if closeErr := j.Close(); err == nil && !l.lost {
		err = closeErr
	}
	return err
}

// saveLast waits until everything is acknowledged that is left when the Log is closed.
func (l *Log) saveLast(ctx context.Context) error {
	if err := l.AwaitExchange(ctx); err != nil {
		return err
	}
	if l.lost || !l.leased {
		return nil
	}
	l.startWriter()
	err := l.unlocked(func() error { return l.AwaitAck(ctx) })
	if ctx.Err() != nil {
		err = unsaved(errNoAnswer)
	}
	return err
}
