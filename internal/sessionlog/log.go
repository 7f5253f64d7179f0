package sessionlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// ErrUnsaved is wrapped by the errors of records that could not be written to the journal.
var ErrUnsaved = errors.New("the session cannot be saved")

// A Config is what a Log needs from its owner.
type Config struct {
	Store journal.Store
	Now   func() time.Time
	Log   *slog.Logger
	// Lock guards the Log, and whatever Apply changes. The caller of a method holds it, unless
	// the method's comment says that it is taken.
	Lock sync.Locker
	// Apply is called with each record, in order, before any follower receives it.
	Apply func(event.Record)
	// Unsaved returns the event that reports that the journal cannot be written.
	Unsaved func(error) event.Event
	// Synced is called, with Lock held, when everything is on disk that something waited for, and in a deferred
	// store when everything is acknowledged.
	Synced func()
	// Failed is called, with Lock held, when the journal cannot be written: records that follow wait until it can. The error
	// wraps ErrUnsaved. nil: nothing is to be done. It is not called in a deferred store.
	Failed func(error)
	// Lost is called when another process has taken the session over; see journal.Journal. It takes the lock.
	Lost func()
}

// A Log is the records of one open session. It has no journal until the first Flush, which
// creates it under the id that the first record, a SessionCreated, contains.
//
// No follower receives a record before it is on disk. Of a store that is not deferred, it is a follower that has the records
// synced which it is to receive next; see syncer.
//
// In a deferred store a record is acknowledged after Append and Commit have returned. Until then no
// follower receives it, it is not Durable, and it waits in memory. Nothing waits for the store with the lock.
type Log struct {
	cfg       Config
	id        event.SessionID
	journal   journal.Journal // nil until the first Flush
	leased    bool            // journal has its lease
	head      uint64          // number of the last record
	backlog   []event.Record  // applied and delivered, not yet written
	unsynced  []event.Record  // applied, and not known to be on disk; not in a deferred store
	failing   bool            // the last write, or the last sync, failed
	closing   bool
	closed    bool          // Close was called
	lost      bool          // Lose was called
	over      chan struct{} // closed by Close and Discard; nil: the lease is not watched
	acks      *acks         // safe for concurrent use
	syncer    *syncer       // of a store that is not deferred
	writer    *writer       // nil: the store is not deferred
	followers map[*follower]struct{}
	crowd     crowd
}

// New returns an empty Log.
func New(cfg Config) *Log {
	l := &Log{cfg: cfg, followers: map[*follower]struct{}{}, acks: newAcks()}
	l.syncer = &syncer{acks: l.acks}
	if cfg.Store != nil && cfg.Store.Deferred() {
		l.writer = newWriter(l.acks)
	}
	return l
}

// Restore returns the Log of a journal whose records the caller has already applied. leased
// reports whether the journal has its lease.
func Restore(cfg Config, j journal.Journal, leased bool, head uint64) *Log {
	l := New(cfg)
	l.id, l.journal, l.leased, l.head = j.ID(), j, leased, head
	l.storedTo(head)
	return l
}

// storedTo notes that all records up to seq, the last one, are stored.
func (l *Log) storedTo(seq uint64) {
	if l.writer != nil {
		l.writer.begin(seq)
		return
	}
	l.syncer.wrote(l.journal, seq)
	l.syncer.synced(seq)
}

// Head returns the number of the last record, 0 if there is none.
func (l *Log) Head() uint64 { return l.head }

// Created reports whether there is a journal.
func (l *Log) Created() bool { return l.journal != nil }

// Leased reports whether the journal has its lease.
func (l *Log) Leased() bool { return l.leased }

// Pending returns the number of records that are not in the journal.
func (l *Log) Pending() int { return len(l.backlog) }

// Syncing reports whether a sync that something waits for, or the writer of a deferred store, is running. The lease
// must not be released before it ends, nor while records are pending.
func (l *Log) Syncing() bool { return l.syncer.active() || l.writer != nil && l.writer.running }

// Failing reports whether the journal could not be written, or synced, the last time.
func (l *Log) Failing() bool { return l.failing }

// Acquire gets the lease of the journal. Before it returns it calls each with the records that
// others have written since; each passes those to Take that are new. See journal.Journal. In a deferred
// store it releases the lock while it waits; no exchange may run, see AwaitExchange.
func (l *Log) Acquire(ctx context.Context, each func(event.Record) error) error {
	if l.writer != nil {
		return l.acquire(ctx, each)
	}
	err := l.journal.Acquire(ctx, each)
	if err == nil {
		l.leased = true
	}
	return err
}

// Release gives the lease back. If the journal cannot be synced the lease is kept, and the
// failure is recorded. In a deferred store the lease counts as released at once.
func (l *Log) Release() {
	if l.writer != nil {
		l.release()
		return
	}
	if err := l.journal.Release(); err != nil {
		l.syncer.fail()
		l.Report(err)
		return
	}
	l.leased = false
	l.allSynced(l.head)
}

// SetBusy sets whether others that want the lease should expect to wait for long.
func (l *Log) SetBusy(busy bool) {
	if l.leased {
		l.journal.SetBusy(busy)
	}
}

// Take adds a record that another process wrote to the journal.
func (l *Log) Take(rec event.Record) {
	l.storedTo(rec.Seq)
	l.publish([]event.Record{rec})
}

// Add adds a record that is numbered already to those that Flush writes. It is applied, and no
// follower receives it.
func (l *Log) Add(rec event.Record) {
	if l.writer != nil {
		l.enqueue([]event.Record{rec})
		l.head = rec.Seq
		l.cfg.Apply(rec)
		return
	}
	l.backlog = append(l.backlog, rec)
	l.head = rec.Seq
	l.cfg.Apply(rec)
	l.awaitStored(rec)
}

// All yields every record, with large outputs left out: see LoadOutput. In a deferred store it releases the
// lock while it waits, and nothing else may write meanwhile.
func (l *Log) All(ctx context.Context) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		if err := l.AwaitExchange(ctx); err != nil {
			yield(event.Record{}, err)
			return
		}
		backlog := l.backlog // the writer of a deferred store may store it meanwhile
		if l.journal != nil {
			for rec, err := range l.readStored(ctx) {
				if !yield(rec, err) || err != nil {
					return
				}
			}
		}
		for _, rec := range backlog {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// BeginClose is called when the session begins to close. Followers that begin after it end at
// once, and a failed sync is only returned by Close.
func (l *Log) BeginClose() { l.closing = true }

// Close writes what is left if the Log has the lease, ends the followers, and closes the journal. In a
// deferred store it releases the lock while it waits, and gives up after some seconds: then the error wraps
// ErrUnsaved.
func (l *Log) Close() error {
	l.deliverHeld()
	l.stopWatching()
	if l.writer != nil {
		return l.closeDeferred()
	}
	defer func() {
		l.acks.end()
		for f := range l.followers {
			f.finish()
		}
	}()
	if l.journal == nil {
		return nil
	}
	var err error
	if l.leased {
		err = l.Flush()
	}
	l.leased = false
	written, _ := l.syncer.state()
	closeErr := l.journal.Close()
	if closeErr == nil {
		l.acks.set(written)
	} else if err == nil {
		err = unsaved(closeErr)
	}
	return err
}

// Lose is called when another process has taken the session over, after BeginClose. What is appended from
// then on is applied, and goes nowhere. Followers end after the records that are stored, and then ends, which
// have no numbers.
func (l *Log) Lose(ends ...event.Record) {
	l.deliverHeld()
	l.lost = true
	if l.writer != nil {
		l.writer.acks.end()
	}
	now := l.cfg.Now().UTC()
	for f := range l.followers {
		for _, rec := range ends {
			rec.Time = now
			f.pushLast(rec)
		}
		f.finish()
	}
}

// Unacknowledged returns the records that no follower has received, since they are not stored.
func (l *Log) Unacknowledged() []event.Record {
	records := l.unsynced
	if l.writer != nil {
		records = l.backlog
	}
	last := l.acks.last.Load()
	for i, rec := range records {
		if rec.Seq > last {
			return records[i:]
		}
	}
	return nil
}

// WatchLease has Config.Lost called when the lease is lost, until the Log is closed.
func (l *Log) WatchLease() {
	lost := l.journal.Lost()
	if lost == nil || l.over != nil {
		return
	}
	over := make(chan struct{})
	l.over = over
	go func() {
		select {
		case <-lost:
			l.cfg.Lost()
		case <-over:
		}
	}()
}

func (l *Log) stopWatching() {
	if l.over != nil {
		close(l.over)
		l.over = nil
	}
}

// Discard closes the journal and removes the session from the store. In a deferred store it releases the lock while it waits.
func (l *Log) Discard(ctx context.Context) error {
	if err := l.AwaitExchange(ctx); err != nil { // the journal may be being created
		return err
	}
	if l.journal == nil {
		return nil
	}
	l.stopWatching()
	l.acks.end()
	remove := func() error { return errors.Join(l.journal.Close(), l.cfg.Store.Remove(ctx, l.id)) }
	if l.writer != nil {
		l.closed, l.leased = true, false
		return l.unlocked(remove)
	}
	return remove()
}

func unsaved(err error) error { return fmt.Errorf("%w: %w", ErrUnsaved, err) }
