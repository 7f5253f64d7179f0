package local

import (
	"context"
	"sync"
	"time"

	"parley.dev/parley/internal/batch"
)

// A wake notifies the goroutines of this Store that something was written by it.
type wake struct {
	mu   sync.Mutex
	wait chan struct{}
}

// next returns a channel that is closed at the next change.
func (w *wake) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wait == nil {
		w.wait = make(chan struct{})
	}
	return w.wait
}

// all notifies.
func (w *wake) all() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wait != nil {
		close(w.wait)
		w.wait = nil
	}
}

// The intervals at which changes of other processes are looked for.
const (
	minPoll = 20 * time.Millisecond
	maxPoll = 200 * time.Millisecond
)

// A poll is how a goroutine waits for changes. SQLite does not notify: the goroutine looks again after an interval that grows while
// nothing happens.
type poll struct {
	store    *Store
	interval time.Duration
}

func newPoll(s *Store) *poll { return &poll{s, minPoll} }

// wait waits for a change of this Store, for the time due unless that is zero, or for the interval. It returns the error of ctx, or
// ErrClosed.
func (p *poll) wait(ctx context.Context, woken <-chan struct{}, due time.Time) error {
	interval := p.interval
	p.interval = min(2*p.interval, maxPoll)
	if !due.IsZero() {
		interval = max(time.Millisecond, min(interval, time.Until(due)))
	}
	timer := time.NewTimer(interval)
	defer timer.Stop()
	select {
	case <-woken:
		p.interval = minPoll
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return p.store.checkUsable(ctx)
}

var _ batch.Delivery = (*delivery)(nil)
