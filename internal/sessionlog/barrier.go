package sessionlog

import (
	"context"
	"sync/atomic"

	"parley.dev/parley/internal/lock"
)

// A barrier is pending while a sync of the journal runs. Records that were appended since must
// not reach followers or the model before it ends.
type barrier struct {
	running atomic.Bool // done is not nil: followers ask before each record

	mu   lock.Mutex
	done chan struct{} // closed when the last sync that began has ended; nil: none runs
}

// begin marks the begin of a sync, and end its end. A later sync includes what the earlier ones
// wait for: the barrier is pending until the last one that began has ended.
func (b *barrier) begin() (end func()) {
	done := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = done
	b.running.Store(true)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.done == done {
			b.done = nil
			b.running.Store(false)
		}
		close(done)
	}
}

// pending returns a channel that is closed when everything recorded so far is on disk, or nil if
// it is there already.
func (b *barrier) pending() <-chan struct{} {
	if !b.running.Load() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done
}

// wait returns when everything recorded so far is on disk, or with the cause of ctx.
func (b *barrier) wait(ctx context.Context) error {
	done := b.pending()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
