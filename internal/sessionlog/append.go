package sessionlog

import (
	"context"
	"slices"

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

// Commit is Append that waits until the events are on disk. The error wraps ErrUnsaved: if the journal cannot be written nothing is
// recorded; if only the sync fails, the events and the failure are. In a deferred store it is CommitAhead: see AwaitAck.
func (l *Log) Commit(turn event.TurnID, events ...event.Event) error {
	_, err := l.commit(turn, events)
	return err
}

// commit is Commit that also reports whether the events are recorded.
func (l *Log) commit(turn event.TurnID, events []event.Event) (recorded bool, err error) {
	if l.lost || l.writer != nil {
		err := l.commitDeferred(turn, events)
		return err == nil, err
	}
	records, err := l.store(turn, events)
	if err != nil {
		return false, err
	}
	l.publish(records)
	return true, l.syncNow()
}

// CommitAhead is Commit that does not wait for the disk: the events are recorded when it returns. See Durable.
func (l *Log) CommitAhead(turn event.TurnID, events ...event.Event) error {
	if l.lost || l.writer != nil {
		return l.commitDeferred(turn, events)
	}
	records, err := l.store(turn, events)
	if err != nil {
		return err
	}
	l.publish(records)
	l.syncer.committed.Store(l.head)
	l.startSync(l.head)
	return nil
}

// Settle is Commit for an event that must be recorded: if the journal fails it stays in memory.
func (l *Log) Settle(turn event.TurnID, e event.Event) {
	if recorded, _ := l.commit(turn, []event.Event{e}); !recorded {
		l.Append(turn, e)
	}
}

// Flush writes what is not in the journal yet, and creates the journal if there is none. After a sync that failed it also waits for
// another one. The error wraps ErrUnsaved. In a deferred store it only reports whether something that must be saved would be
// accepted: see Create and Save.
func (l *Log) Flush() error {
	if l.writer != nil {
		return l.refusal()
	}
	if err := l.write(); err != nil {
		return unsaved(err)
	}
	if _, failed := l.syncer.state(); failed {
		return l.syncNow()
	}
	return nil
}

// Sync waits until everything that was written is on disk. The error wraps ErrUnsaved. In a deferred store it
// does nothing: see AwaitAck and Save.
func (l *Log) Sync() error {
	if l.writer != nil {
		return nil
	}
	return l.syncNow()
}

// Durable returns a channel that is closed when everything committed so far is on disk, or nil
// if it is there already. It may be called without the lock.
func (l *Log) Durable() <-chan struct{} {
	if l.writer != nil {
		return l.acks.reached(l.writer.head.Load())
	}
	return l.acks.reached(l.syncer.committed.Load())
}

// AwaitDisk waits until everything committed so far is on disk. In a deferred store it is AwaitAck. It must be called without the
// lock. Errors: the cause of ctx, ErrUnsaved.
func (l *Log) AwaitDisk(ctx context.Context) error {
	if l.writer != nil {
		return l.AwaitAck(ctx)
	}
	return l.awaitSynced(ctx, l.syncer.committed.Load())
}

// AwaitStored waits until everything appended so far is stored. It takes the lock. Errors: the cause of ctx, ErrUnsaved.
func (l *Log) AwaitStored(ctx context.Context) error {
	wait := l.Storing()
	if wait == nil {
		return nil
	}
	return wait(ctx)
}

// Storing returns what AwaitStored does if it has to wait for what is appended now; nil: that is stored. It takes the lock.
func (l *Log) Storing() (wait func(context.Context) error) {
	if l.writer != nil {
		if l.writer.head.Load() <= l.acks.last.Load() {
			return nil
		}
		return l.AwaitAck
	}
	l.cfg.Lock.Lock()
	head, created := l.head, l.journal != nil
	l.cfg.Lock.Unlock()
	if !created || head <= l.acks.last.Load() {
		return nil
	}
	return func(ctx context.Context) error { return l.awaitSynced(ctx, head) }
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
	l.acks.fail()
	l.backlog = append(l.backlog, records...)
	l.publish(records)
	l.ShowAhead(event.Record{Event: records[0].Event})
	if l.cfg.Failed != nil {
		l.cfg.Failed(unsaved(err))
	}
}

// ShowAhead delivers records without numbers to all followers, ahead of the records that wait until they are stored. If none waits it
// does nothing.
func (l *Log) ShowAhead(records ...event.Record) {
	stored := l.acks.last.Load()
	if stored >= l.head {
		return
	}
	now := l.cfg.Now().UTC()
	for f := range l.followers {
		for _, rec := range records {
			rec.Time = now
			f.pushAhead(rec, stored)
		}
	}
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
		if err := l.createJournal(); err != nil {
			return err
		}
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
	l.syncer.wrote(l.journal, l.backlog[len(l.backlog)-1].Seq)
	l.backlog = nil
	if _, failed := l.syncer.state(); !failed {
		l.recover()
		l.startSync(l.syncer.requested())
	}
	return nil
}

// createJournal creates the journal with the first records: all that need no blobs, for which there is no folder yet.
func (l *Log) createJournal() error {
	if created, ok := l.backlog[0].Event.(event.SessionCreated); ok {
		l.id = created.ID
	}
	n := slices.IndexFunc(l.backlog, func(rec event.Record) bool { return rec.Event.Kind() == event.KindToolEnded })
	if n < 0 {
		n = len(l.backlog)
	}
	j, err := l.cfg.Store.Create(context.Background(), l.id, l.backlog[:n])
	if err != nil {
		return err
	}
	last := l.backlog[n-1].Seq
	l.syncer.wrote(j, last)
	l.syncer.synced(last)
	l.journal, l.leased, l.backlog = j, true, l.backlog[n:]
	return nil
}

// publish applies records and delivers them to all followers.
func (l *Log) publish(records []event.Record) {
	for _, rec := range records {
		l.head = rec.Seq
		l.cfg.Apply(rec)
		if l.writer == nil {
			l.awaitStored(rec)
		}
		l.deliver(rec)
	}
}

// awaitStored notes that a record waits until it is on disk. Before there is a journal nothing can contradict it.
func (l *Log) awaitStored(rec event.Record) {
	last := l.acks.last.Load()
	switch {
	case l.journal == nil:
		l.acks.set(rec.Seq)
	case rec.Seq > last:
		n := 0
		for n < len(l.unsynced) && l.unsynced[n].Seq <= last {
			n++
		}
		l.unsynced = append(l.unsynced[n:], rec)
	}
}
