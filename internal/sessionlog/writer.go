package sessionlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

const (
	// retryDelay is how long the writer waits before it tries again what the store has refused.
	retryDelay = time.Second
	// maxBacklog is how many bytes may wait for their acknowledgement before AwaitRoom waits.
	maxBacklog = 8 << 20
	// maxQueuedBlob is the size of the largest blob that is queued, in bytes.
	maxQueuedBlob = 64 << 20
)

// A writer writes the records of a Log to a deferred store: one goroutine at a time, without the lock of
// the Log, stores what was appended and waits for the acknowledgement. What is appended meanwhile it
// stores together, after that. The lock of the Log guards the fields, except for those that are safe for
// concurrent use.
type writer struct {
	acks *acks         // safe for concurrent use
	head atomic.Uint64 // number of the last record
	size atomic.Int64  // of the records and blobs that are not acknowledged, in bytes

	running  bool   // the goroutine runs
	appended uint64 // number of the last record that was passed to the journal
	failure  error  // of the last attempt to store something; nil: it succeeded
	blobs    []blob // not stored yet, the oldest first
	queued   map[string][]byte
	switched *exchange   // nil: none runs
	failed   func(error) // called when something cannot be stored; nil: nothing waits for that
}

// A blob is a payload that is not stored yet.
type blob struct {
	address string
	data    []byte
}

func newWriter(a *acks) *writer { return &writer{acks: a, queued: map[string][]byte{}} }

// begin is called when all records up to head are stored.
func (w *writer) begin(head uint64) {
	w.head.Store(head)
	w.acks.set(head)
	w.appended = head
}

// appendLater is Append for a Log that is lost, or whose store is deferred.
func (l *Log) appendLater(records []event.Record) {
	if l.writer != nil {
		l.enqueue(records)
	}
	l.publish(records)
}

// commitDeferred is Commit for such a Log.
func (l *Log) commitDeferred(turn event.TurnID, events []event.Event) error {
	if err := l.refusal(); err != nil {
		return err
	}
	l.appendLater(l.number(turn, events))
	return nil
}

// enqueue adds records that were numbered to those that the goroutine stores.
func (l *Log) enqueue(records []event.Record) {
	w := l.writer
	if l.lost {
		w.head.Store(records[len(records)-1].Seq) // it is never acknowledged
		return
	}
	if w.head.Load() <= w.acks.last.Load() {
		w.acks.begin()
	}
	l.backlog = append(l.backlog, records...)
	for _, rec := range records {
		w.size.Add(int64(backlogSize(rec)))
		w.head.Store(rec.Seq)
	}
	if l.journal == nil && w.switched == nil {
		w.acks.set(w.head.Load()) // it is in no store: nothing can contradict it
	}
	l.startWriter()
}

// startWriter starts the goroutine if there is work for it.
func (l *Log) startWriter() {
	w := l.writer
	if w.running || !l.leased || l.lost || len(l.backlog) == 0 && len(w.blobs) == 0 {
		return
	}
	w.running = true
	go l.writeAll()
}

// writeAll stores what there is until nothing is left, the log is closed or the lease is lost.
func (l *Log) writeAll() {
	for {
		j, records, blobs := l.nextBatch()
		if j == nil {
			return
		}
		err := l.writer.store(j, records, blobs)
		if err == nil && len(records) > 0 {
			l.writer.acks.set(records[len(records)-1].Seq) // what waits for it need not wait for the lock
		}
		if !l.stored(len(records), len(blobs), err) {
			l.writer.pause()
		}
	}
}

// nextBatch returns what is to be stored. The journal is nil, and the goroutine ends, if there is nothing.
func (l *Log) nextBatch() (journal.Journal, []event.Record, []blob) {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	w := l.writer
	if l.lost || l.closed || len(l.backlog) == 0 && len(w.blobs) == 0 {
		w.running = false
		l.cfg.Synced()
		return nil, nil, nil
	}
	return l.journal, l.backlog, w.blobs
}

// store stores blobs and then records, and waits until they are acknowledged.
func (w *writer) store(j journal.Journal, records []event.Record, blobs []blob) error {
	for _, b := range blobs {
		if _, err := j.PutBlob(b.data); err != nil {
			return err
		}
	}
	if len(records) == 0 {
		return nil
	}
	if last := records[len(records)-1].Seq; last > w.appended { // else they were appended, and not acknowledged
		fresh := records
		for fresh[0].Seq <= w.appended {
			fresh = fresh[1:]
		}
		lines, err := storable(fresh, j.PutBlob)
		if err != nil {
			return err
		}
		if err := j.Append(fresh[0].Seq-1, lines); err != nil {
			return err
		}
		w.appended = last
	}
	return j.Sync()
}

// stored notes the outcome of store. It reports false if the writer is to try again later.
func (l *Log) stored(records, blobs int, err error) bool {
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	w := l.writer
	if err != nil {
		w.failure = err
		if w.failed != nil {
			w.failed(unsaved(err))
		}
		if !l.lost && !l.closing && !errors.Is(err, journal.ErrFenced) { // the end of the session reports those
			l.Report(err)
		}
		return false
	}
	w.failure, l.failing = nil, false
	freed := 0
	for _, rec := range l.backlog[:records] {
		freed += backlogSize(rec)
	}
	for _, b := range w.blobs[:blobs] {
		freed += len(b.data)
		delete(w.queued, b.address)
	}
	w.size.Add(-int64(freed))
	l.backlog, w.blobs = l.backlog[records:], w.blobs[blobs:]
	if len(l.backlog) == 0 {
		l.backlog = nil
	}
	return true
}

// pause waits before the next attempt.
func (w *writer) pause() {
	timer := time.NewTimer(retryDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.acks.ended:
	}
}

// refusal returns why nothing that must be saved is accepted now; nil: it is.
func (l *Log) refusal() error {
	switch {
	case l.lost:
		return unsaved(journal.ErrFenced)
	case l.writer.failure != nil:
		return unsaved(l.writer.failure)
	case l.journal == nil:
		return unsaved(errors.New("the session is not in the store yet"))
	}
	return nil
}

// queueBlob adds a blob to those that the goroutine stores, before every record that is appended after it.
func (l *Log) queueBlob(data []byte) (address string, err error) {
	if len(data) > maxQueuedBlob {
		return "", fmt.Errorf("a blob of %d bytes is too large: at most %d", len(data), maxQueuedBlob)
	}
	w := l.writer
	address = addressOf(data)
	if w.queued[address] != nil {
		return address, nil
	}
	w.queued[address] = data
	w.blobs = append(w.blobs, blob{address, data})
	w.size.Add(int64(len(data)))
	l.startWriter()
	return address, nil
}

func addressOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// AwaitRoom waits while more records wait for their acknowledgement than should be in memory. It returns at
// once if the store is not deferred. It must be called without the lock. Errors: the cause of ctx, ErrUnsaved.
func (l *Log) AwaitRoom(ctx context.Context) error {
	w := l.writer
	if w == nil {
		return nil
	}
	for w.size.Load() > maxBacklog {
		if err := w.acks.wait(ctx, w.acks.last.Load()+1, nil); err != nil {
			return unacknowledged(err)
		}
	}
	return nil
}

// AwaitAck waits until the store has acknowledged everything appended so far. It returns at once if the
// store is not deferred, or the session is not in the store yet. It must be called without the lock.
// Errors: the cause of ctx, ErrUnsaved; then it is not known whether the records will be stored.
func (l *Log) AwaitAck(ctx context.Context) error {
	w := l.writer
	if w == nil {
		return nil
	}
	return unacknowledged(w.acks.wait(ctx, w.head.Load(), nil))
}

// Waited returns for how long nothing was stored of what waits for that; 0: nothing waits. While a journal that is not deferred cannot
// be written, it is very long.
func (l *Log) Waited() time.Duration {
	if l.writer == nil {
		return l.acks.stalled()
	}
	return l.writer.acks.waited(l.writer.head.Load())
}

// Visible returns the number of the last record that followers may receive.
func (l *Log) Visible() uint64 { return min(l.head, l.acks.last.Load()) }

// unacknowledged returns the error of a wait for acknowledgements as callers receive it.
func unacknowledged(err error) error {
	if errors.Is(err, errNoAck) {
		return unsaved(err)
	}
	return err
}

// backlogSize returns about how many bytes of memory a record takes that waits.
func backlogSize(rec event.Record) int {
	n := recordSize(rec)
	switch e := rec.Event.(type) {
	case event.AnswerGrew:
		for _, p := range e.Pieces {
			n += len(p.Text)
		}
	case event.UserMessage:
		for _, b := range e.Blocks {
			n += len(b.Text)
		}
	}
	return n
}
