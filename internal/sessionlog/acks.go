package sessionlog

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/lock"
)

// errNoAck reports that records will not be acknowledged any more: the log is closed, or its lease is lost.
var errNoAck = errors.New("the store has not acknowledged it")

// errWaitStopped is the error of a wait that the caller has stopped.
var errWaitStopped = errors.New("it is not on disk")

// An acks is how far the records of a log are stored: acknowledged by a deferred store, or on disk. It is safe for concurrent use.
type acks struct {
	last  atomic.Uint64 // number of the last record that is stored
	ended chan struct{} // closed by end

	mu    lock.Mutex
	fails chan struct{} // closed while the store cannot be written; nil: nothing waits for that
	bad   bool          // the store cannot be written
	over  bool
	since time.Time // of the last acknowledgement, or of the record after it if that is later
	waits []ackWait // for later records, in their order
}

// An ackWait is what waits for a record.
type ackWait struct {
	seq  uint64
	done chan struct{} // closed when it is stored
}

func newAcks() *acks { return &acks{ended: make(chan struct{})} }

// set notes that the records up to seq are stored.
func (a *acks) set(seq uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq <= a.last.Load() {
		return
	}
	a.last.Store(seq)
	a.since = time.Now()
	n := 0
	for n < len(a.waits) && a.waits[n].seq <= seq {
		close(a.waits[n].done)
		n++
	}
	a.waits = a.waits[n:]
}

// begin notes that a record waits, and none before it.
func (a *acks) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = time.Now()
}

// fail notes that the store cannot be written.
func (a *acks) fail() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bad = true
	if a.fails != nil {
		close(a.fails)
		a.fails = nil
	}
}

// recovered notes that it can be written again.
func (a *acks) recovered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bad = false
}

// closedChannel is a channel that is closed.
var closedChannel = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// failure returns a channel that is closed when the store cannot be written.
func (a *acks) failure() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bad {
		return closedChannel
	}
	if a.fails == nil {
		a.fails = make(chan struct{})
	}
	return a.fails
}

// waited returns for how long record seq, or one before it, waits without an acknowledgement; 0: it is stored.
func (a *acks) waited(seq uint64) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq <= a.last.Load() {
		return 0
	}
	return time.Since(a.since)
}

// stalled returns a very long time while the store cannot be written, else 0.
func (a *acks) stalled() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bad {
		return math.MaxInt64
	}
	return 0
}

// restart notes that of the records so far only those up to seq are stored.
func (a *acks) restart(seq uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last.Store(seq)
}

// end notes that no further record will be stored.
func (a *acks) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		a.over = true
		close(a.ended)
	}
}

// reached returns a channel that is closed when record seq is stored, or nil if it is stored already.
func (a *acks) reached(seq uint64) <-chan struct{} {
	if seq <= a.last.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq <= a.last.Load() {
		return nil
	}
	at := len(a.waits)
	for at > 0 && a.waits[at-1].seq > seq {
		at--
	}
	if at > 0 && a.waits[at-1].seq == seq {
		return a.waits[at-1].done
	}
	w := ackWait{seq: seq, done: make(chan struct{})}
	a.waits = append(a.waits, ackWait{})
	copy(a.waits[at+1:], a.waits[at:])
	a.waits[at] = w
	return w.done
}

// wait waits until record seq is stored. Errors: the cause of ctx, errNoAck, errWaitStopped if stop is ready before.
func (a *acks) wait(ctx context.Context, seq uint64, stop <-chan struct{}) error {
	done := a.reached(seq)
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-a.ended:
	case <-stop:
		if seq > a.last.Load() {
			return errWaitStopped
		}
	case <-ctx.Done():
	}
	switch {
	case seq <= a.last.Load():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return errNoAck
}
