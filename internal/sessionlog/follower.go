package sessionlog

import (
	"context"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

const (
	// mergeFrom is how many records wait before adjacent deltas merge: a follower that
	// keeps up sees each delta as it came.
	mergeFrom = 64
	// queueCap is how many bytes wait in memory; the records after them wait on disk.
	queueCap = 4 << 20
	// shortQueue is how many records a queue of a follower that keeps up has room for: it is not allocated again.
	shortQueue = 4
)

// A follower is a queue with one writer side (the session) and one reader.
type follower struct {
	transient []event.Kind

	mu    lock.Mutex
	queue []waiting // oldest first
	short []waiting // what queue is made of, as long as that is enough; nil: nothing was queued yet
	bytes int
	spool *spool // after queue; nil: nothing is on disk
	done  bool   // nothing will be pushed any more
	err   error  // of the spool
	wake  chan struct{}
	pace  pace
	ahead aheadQueue
}

// An aheadQueue is the records that a follower receives before those of its queue that waited until they are stored, whether these wait
// still or not: clients receive both in one order. The lock of the follower guards it.
type aheadQueue struct {
	records []aheadRecord
	came    chan struct{} // ready when there are some
}

// An aheadRecord precedes the records whose numbers are greater than after.
type aheadRecord struct {
	rec   event.Record
	after uint64
}

// waiting is a record in a queue; grown is the text of a delta that others merged into.
type waiting struct {
	rec   event.Record
	grown *strings.Builder
	size  int
}

func newFollower(transient []event.Kind) *follower {
	return &follower{transient: transient, wake: make(chan struct{}, 1), ahead: aheadQueue{came: make(chan struct{}, 1)}}
}

// pushAhead adds a record that does not wait, and precedes those whose numbers are greater than after.
func (f *follower) pushAhead(rec event.Record, after uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ahead.records = append(f.ahead.records, aheadRecord{rec, after})
	select {
	case f.ahead.came <- struct{}{}:
	default:
	}
}

// takeAhead returns the records of pushAhead that precede record seq, and removes them.
func (f *follower) takeAhead(seq uint64) (records []event.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.ahead.records) > 0 && f.ahead.records[0].after < seq {
		records = append(records, f.ahead.records[0].rec)
		f.ahead.records = f.ahead.records[1:]
	}
	return records
}

// push never waits. The caller holds the session's lock.
func (f *follower) push(rec event.Record) {
	if f.wants(rec) {
		f.pushLast(rec)
	}
}

// pushLast is push of a record of any kind.
func (f *follower) pushLast(rec event.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.put(rec) {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// put queues a record. It reports whether there is more to take than before.
func (f *follower) put(rec event.Record) bool {
	size := recordSize(rec)
	n := len(f.queue)
	if f.spool == nil && n > 0 && f.bytes+size > queueCap {
		f.spool, f.err = newSpool()
	}
	if f.spool == nil && f.mergeQueued(rec, size) {
		return false
	}
	if f.spool != nil {
		if err := f.spool.put(rec); err != nil {
			f.err = err
		}
		return true
	}
	if f.short == nil {
		f.short = make([]waiting, 0, shortQueue)
		f.queue = f.short
	}
	full := len(f.queue) == cap(f.queue)
	f.queue = append(f.queue, waiting{rec: rec, size: size})
	if full {
		clear(f.short[:shortQueue]) // they were copied
	}
	f.bytes += size
	f.pace.came(rec)
	return true
}

// mergeQueued merges a delta into one that is queued, and reports whether it did.
func (f *follower) mergeQueued(rec event.Record, size int) bool {
	n := len(f.queue)
	if n == 0 || n < mergeFrom && f.pace.gap == nil {
		return false
	}
	i := n - 1
	if f.pace.gap != nil {
		i = f.sameOutput(rec)
	}
	if !f.queue[i].merge(rec) {
		return false
	}
	f.queue[i].size += size
	f.bytes += size
	return true
}

// next returns the oldest record; false when all were read and no more will come.
func (f *follower) next(ctx context.Context) (event.Record, bool, error) {
	due, stop := f.pace.due()
	defer stop()
	for {
		rec, ok, err := f.take()
		if ok || err != nil {
			return rec, ok, err
		}
		if f.finished() {
			return event.Record{}, false, nil
		}
		select {
		case <-f.wake:
		case <-due:
			due = nil
		case <-ctx.Done():
			return event.Record{}, false, context.Cause(ctx)
		}
	}
}

func (f *follower) take() (event.Record, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 && f.spool != nil && f.err == nil {
		f.refill()
	}
	if f.err != nil {
		return event.Record{}, false, f.err
	}
	if len(f.queue) == 0 || f.holds() {
		return event.Record{}, false, nil
	}
	w := f.queue[0]
	f.queue[0] = waiting{}
	f.queue = f.queue[1:]
	f.bytes -= w.size
	if len(f.queue) == 0 {
		f.queue = f.short // let go of what a burst needed
	}
	f.pace.went(w.rec)
	return w.record(), true, nil
}

// refill moves records from disk to the queue.
func (f *follower) refill() {
	records, empty, err := f.spool.take(queueCap / 4)
	if err != nil {
		f.err = err
		return
	}
	for _, rec := range records {
		size := recordSize(rec)
		f.queue = append(f.queue, waiting{rec: rec, size: size})
		f.bytes += size
		f.pace.came(rec)
	}
	if empty {
		f.spool.close()
		f.spool = nil
	}
}

func (f *follower) finished() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done && len(f.queue) == 0 && f.spool == nil
}

// finish is called when nothing more will be pushed.
func (f *follower) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// close drops the records that were not read.
func (f *follower) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spool != nil {
		f.spool.close()
		f.spool = nil
	}
	f.queue, f.done = nil, true
}

func (w *waiting) record() event.Record {
	if w.grown == nil {
		return w.rec
	}
	w.rec.Form = nil // what was merged is this reader's own
	switch e := w.rec.Event.(type) {
	case event.TextDelta:
		e.Text = w.grown.String()
		w.rec.Event = e
	case event.ThinkingDelta:
		e.Text = w.grown.String()
		w.rec.Event = e
	case event.ToolInputDelta:
		e.Text = w.grown.String()
		w.rec.Event = e
	case event.ToolOutput:
		e.Text = w.grown.String()
		w.rec.Event = e
	case event.CommandOutput:
		e.Text = w.grown.String()
		w.rec.Event = e
	}
	return w.rec
}

// merge appends the text of rec to that of w and reports true, if both are deltas of the same item.
func (w *waiting) merge(rec event.Record) bool {
	switch d := rec.Event.(type) {
	case event.TextDelta:
		e, ok := w.rec.Event.(event.TextDelta)
		return ok && e.Message == d.Message && e.Block == d.Block && w.grow(e.Text, d.Text)
	case event.ThinkingDelta:
		e, ok := w.rec.Event.(event.ThinkingDelta)
		return ok && e.Message == d.Message && e.Block == d.Block && w.grow(e.Text, d.Text)
	case event.ToolInputDelta:
		e, ok := w.rec.Event.(event.ToolInputDelta)
		return ok && e.Call == d.Call && e.Block == d.Block && e.Message == d.Message && w.grow(e.Text, d.Text)
	case event.ToolOutput:
		e, ok := w.rec.Event.(event.ToolOutput)
		return ok && e.Call == d.Call && w.grow(e.Text, d.Text)
	case event.CommandOutput:
		e, ok := w.rec.Event.(event.CommandOutput)
		return ok && e.Command == d.Command && w.grow(e.Text, d.Text)
	case event.TasksProgressed:
		e, ok := w.rec.Event.(event.TasksProgressed)
		if ok && e.Call == d.Call {
			w.rec = rec // it says all that there is
			return true
		}
	}
	return false
}

// grow appends a text for merge; false: the merged delta would pass a quarter of the queue's cap.
func (w *waiting) grow(first, more string) bool {
	if w.size+len(more) > queueCap/4 {
		return false
	}
	if w.grown == nil {
		w.grown = &strings.Builder{}
		w.grown.WriteString(first)
	}
	w.grown.WriteString(more)
	return true
}

// recordSize returns about how many bytes of memory a queued record takes.
func recordSize(rec event.Record) int {
	const fixed = 200
	switch e := rec.Event.(type) {
	case event.TextDelta:
		return fixed + len(e.Text)
	case event.ThinkingDelta:
		return fixed + len(e.Text)
	case event.ToolInputDelta:
		return fixed + len(e.Text)
	case event.ToolOutput:
		return fixed + len(e.Text)
	case event.CommandOutput:
		return fixed + len(e.Text)
	case event.SubagentRecorded:
		return fixed + recordSize(e.Record)
	case event.CommandRan:
		return fixed + len(e.Output) + diffSize(e.Shell.Changes)
	case event.ToolEnded:
		n := fixed + len(e.Output) + diffSize(e.Changes)
		if e.Shell != nil {
			n += diffSize(e.Shell.Changes)
		}
		if e.Reply != nil {
			n += len(e.Reply.Content)
		}
		return n
	case event.ChangesProposed:
		return fixed + diffSize(e.Changes)
	case event.FilesRestored:
		return fixed + diffSize(e.Changes)
	case event.AssistantMessage:
		n := fixed
		for _, b := range e.Blocks {
			n += len(b.Text)
			if b.Call != nil {
				n += len(b.Call.Input)
			}
		}
		return n
	}
	return 2 * fixed
}

func diffSize(changes []event.FileChange) (n int) {
	for _, c := range changes {
		n += len(c.Diff)
	}
	return n
}
