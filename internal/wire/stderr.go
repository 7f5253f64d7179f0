package wire

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Log takes lines for stderr without ever waiting for whoever reads it: its own goroutine
// writes them, and lines that come while its queue is full are dropped and counted.
type Log struct {
	out  io.Writer
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	queue   chan logLine
	closed  bool   // and so is queue
	dropped uint64 // lines, in all
	lost    uint64 // lines since the last one queued
}

type logLine struct {
	text []byte
	lost uint64 // lines dropped right before it
}

// NewLog starts a log that holds at most depth lines which w has not taken yet. Close ends
// its goroutine.
func NewLog(w io.Writer, depth int) *Log {
	l := &Log{out: w, queue: make(chan logLine, depth), done: make(chan struct{})}
	go l.run()
	return l
}

// Write queues one line, LF included, or drops it. It never waits and never fails.
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

// drop is called with the lock held.
func (l *Log) drop() {
	l.dropped++
	l.lost++
}

// Dropped is how many lines were lost since the log was opened.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// Close takes no more lines and waits until the queued ones are written, but no longer than
// limit; it reports whether all were. If the reader is stuck, the goroutine stays with it
// until the process ends. Closing again waits again.
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

// run writes the queued lines and, where some were lost in between, how many. A failed
// write is not reported: there is no other place to say so.
func (l *Log) run() {
	defer close(l.done)
	for line := range l.queue {
		l.note(line.lost)
		_, _ = l.out.Write(line.text)
	}
	l.mu.Lock()
	lost := l.lost
	l.mu.Unlock()
	l.note(lost)
}

// note writes a line about lost lines, if there are any.
func (l *Log) note(lost uint64) {
	if lost > 0 {
		fmt.Fprintf(l.out, "%d log lines dropped: stderr was not read\n", lost)
	}
}
