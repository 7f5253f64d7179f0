package wire

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"parley.dev/parley/internal/lock"
)

// A Log queues lines for stderr without ever waiting for its reader: its own goroutine writes them,
// and it drops and counts lines while the queue is full.
type Log struct {
	out  io.Writer
	done chan struct{} // closed when the goroutine has ended

	mu      lock.Mutex
	queue   chan logLine
	closed  bool   // queue is closed too
	dropped uint64 // lines dropped in total
	lost    uint64 // lines dropped since the last one that was queued
}

type logLine struct {
	text []byte
	lost uint64 // lines dropped directly before it
}

// NewLog starts a log that queues at most depth lines for w. Close stops its goroutine.
func NewLog(w io.Writer, depth int) *Log {
	l := &Log{out: w, queue: make(chan logLine, depth), done: make(chan struct{})}
	go l.run()
	return l
}

// Write queues one line, including its LF, or drops it. It never waits and never fails.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.drop()
		return len(text), nil
	}
	select {
	case l.queue <- logLine{bytes.Clone(text), l.lost}:
		l.lost = 0
	default:
		l.drop()
	}
	return len(text), nil
}

// drop counts a dropped line. The caller holds l.mu.
func (l *Log) drop() {
	l.dropped++
	l.lost++
}

// Dropped returns the number of lines that were dropped since the log was opened.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// Close stops accepting lines and waits until the queued ones are written, but no longer than
// limit; it reports whether all were written. If the reader does not read, the goroutine remains
// until the process ends. A second call waits again.
func (l *Log) Close(limit time.Duration) (flushed bool) {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.queue)
	}
	l.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.done:
		return true
	case <-timer.C:
		return false
	}
}

// run writes the queued lines and, where lines were dropped, their number. A failed write cannot be
// reported anywhere.
func (l *Log) run() {
	defer close(l.done)
	for line := range l.queue {
		l.writeLost(line.lost)
		_, _ = l.out.Write(line.text)
	}
	l.mu.Lock()
	lost := l.lost
	l.mu.Unlock()
	l.writeLost(lost)
}

// writeLost writes the number of dropped lines, if there are any.
func (l *Log) writeLost(lost uint64) {
	if lost > 0 {
		fmt.Fprintf(l.out, "%d log lines dropped: stderr was not read\n", lost)
	}
}
