package sessionlog

import (
	"context"

	"parley.dev/parley/internal/event"
)

// Append records durable events. If the journal cannot be written they are kept in memory, the
// failure is recorded once, and every later write tries again.
func (l *Log) Append(turn event.TurnID, events ...event.Event) {
	records := l.number(turn, events)
	if l.lost || l.writer != nil {
		l.appendLater(records)
		return
	}
	l.backlog = append(l.backlog, records...)
	var err error
	if l.journal != nil {
		err = l.write()
	}
	l.publish(records)
	l.Report(err)
}

// Commit is Append that waits until the events are on disk. If the journal cannot be written
// nothing is recorded, and the error wraps ErrUnsaved. If only the sync fails, the events and the
// failure are recorded. In a deferred store it is CommitAhead: see AwaitAck.
func (l *Log) Commit(turn event.TurnID, events ...event.Event) error {
	if l.lost || l.writer != nil {
		return l.commitDeferred(turn, events)
	}
	records, err := l.store(turn, events)
	if err != nil {
		return err
	}
	err = l.journal.Sync()
	l.publish(records)
	l.Report(err)
	return nil
}

// CommitAhead is Commit that does not wait for the disk: the events are recorded when it
// returns, and no follower receives them before they are on disk. See Durable.
func (l *Log) CommitAhead(turn event.TurnID, events ...event.Event) error {
	if l.lost || l.writer != nil {
		return l.commitDeferred(turn, events)
	}
	records, err := l.store(turn, events)
	if err != nil {
		return err
	}
	j, end := l.journal, l.barrier.begin()
	l.syncing++
	go func() {
		err := j.Sync()
		if err == nil {
			end() // what waits for the disk need not wait for the lock
		} else {
			defer end()
		}
		l.cfg.Lock.Lock()
		defer l.cfg.Lock.Unlock()
		l.syncing--
		if err != nil && !l.closing { // Close returns the error of the disk
			l.Report(err)
		}
		l.cfg.Synced()
	}()
	l.publish(records)
	return nil
}

// Settle is Commit for an event that must be recorded: if the journal fails it stays in memory.
func (l *Log) Settle(turn event.TurnID, e event.Event) {
	if err := l.Commit(turn, e); err != nil {
		l.Append(turn, e)
	}
}

// Flush writes what is not in the journal yet, and creates the journal if there is none. The
// error wraps ErrUnsaved. In a deferred store it only reports whether something that must be saved would be
// accepted: see Create and Save.
func (l *Log) Flush() error {
	if l.writer != nil {
		return l.refusal()
	}
	if err := l.write(); err != nil {
		return unsaved(err)
	}
	return nil
}

// Sync waits until everything that was written is on disk. The error wraps ErrUnsaved. In a deferred store it
// does nothing: see AwaitAck and Save.
func (l *Log) Sync() error {
	if l.writer != nil {
		return nil
	}
	if err := l.journal.Sync(); err != nil {
		return unsaved(err)
	}
	return nil
}

// Durable returns a channel that is closed when everything committed so far is on disk, or nil
// if it is there already. It may be called without the lock.
func (l *Log) Durable() <-chan struct{} {
	if l.writer != nil {
		return l.writer.acks.reached(l.writer.head.Load())
	}
	return l.barrier.pending()
}

// AwaitDisk waits until everything committed so far is on disk, or the failure is recorded. In a deferred
// store it is AwaitAck, and only there it ends with ctx and returns an error. It must be called without the lock.
func (l *Log) AwaitDisk(ctx context.Context) error {
	if l.writer != nil {
		return l.AwaitAck(ctx)
	}
	_ = l.barrier.wait(context.Background()) // which never ends
	return nil
}

// Report records err, unless it is nil or a failure to write was recorded before and no write has
// succeeded since.
func (l *Log) Report(err error) {
	if err == nil || l.failing {
		return
	}
	l.failing = true
	l.cfg.Log.Error("journal write failed", "session", l.id, "error", err)
	records := l.number("", []event.Event{l.cfg.Unsaved(err)})
	if l.lost || l.writer != nil {
		l.appendLater(records)
		return
	}
	l.backlog = append(l.backlog, records...)
	l.publish(records)
}

// Show delivers a transient event to the followers that asked for its kind.
func (l *Log) Show(turn event.TurnID, e event.Event) {
	if len(l.followers) == 0 {
		return
	}
	l.deliver(event.Record{Time: l.cfg.Now().UTC(), Turn: turn, Event: e})
}

// deliver gives a record to the followers, after those that wait; a delta may wait itself.
func (l *Log) deliver(rec event.Record) {
	if l.lost {
		return
	}
	if !l.hold(rec) {
		l.deliverHeld()
		l.push(rec)
	}
}

// push gives a record to the queues of the followers.
func (l *Log) push(rec event.Record) {
	if len(l.followers) > 1 {
		rec.Form = new(event.Form)
	}
	for f := range l.followers {
		f.push(rec)
	}
}

// store writes events to the journal: all of them, or none with an error that wraps ErrUnsaved.
func (l *Log) store(turn event.TurnID, events []event.Event) ([]event.Record, error) {
	records := l.number(turn, events)
	mark := len(l.backlog)
	l.backlog = append(l.backlog, records...)
	if err := l.write(); err != nil {
		l.backlog = l.backlog[:mark]
		return nil, unsaved(err)
	}
	return records, nil
}

// number returns events as the records that follow the last one.
func (l *Log) number(turn event.TurnID, events []event.Event) []event.Record {
	records := make([]event.Record, len(events))
	now := l.cfg.Now().UTC()
	for i, e := range events {
		records[i] = event.Record{Seq: l.head + uint64(i) + 1, Time: now, Turn: turn, Event: e}
	}
	return records
}

// write writes the backlog to the journal, which it creates if there is none.
func (l *Log) write() error {
	if l.journal == nil {
		if created, ok := l.backlog[0].Event.(event.SessionCreated); ok {
			l.id = created.ID
		}
		j, err := l.cfg.Store.Create(context.Background(), l.id, l.backlog[:1])
		if err != nil {
			return err
		}
		l.journal, l.leased, l.backlog = j, true, l.backlog[1:]
	}
	if len(l.backlog) == 0 {
		return nil
	}
	stored, err := storable(l.backlog, l.journal.PutBlob)
	if err != nil {
		return err
	}
	if err := l.journal.Append(l.backlog[0].Seq-1, stored); err != nil {
		return err
	}
	l.backlog, l.failing = nil, false
	return nil
}

// publish applies records and delivers them to all followers.
func (l *Log) publish(records []event.Record) {
	for _, rec := range records {
		l.head = rec.Seq
		l.cfg.Apply(rec)
		l.deliver(rec)
	}
}
