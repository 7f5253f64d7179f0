package engine

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// hostWatchers are the callers of Host.Watch.
type hostWatchers struct {
	any atomic.Bool // whether there are some: most changes find none
	mu  lock.Mutex
	all map[*hostWatcher]bool
}

// A hostWatcher collects the sessions that have changed.
type hostWatcher struct {
	changed map[event.SessionID]bool // the lock of the watchers guards it
	wake    chan struct{}            // has room for one
}

// Watch yields the sessions that are open, and then those whose summary, status, pending approvals and questions, or clients
// have changed since they were yielded before, at most once in each list; also those that were closed or removed. It ends with ctx.
func (h *Host) Watch(ctx context.Context) iter.Seq[[]event.SessionID] {
	w := &hostWatcher{changed: map[event.SessionID]bool{}, wake: make(chan struct{}, 1)}
	h.watchers.add(w)
	for _, s := range h.all() {
		h.watchers.note(s.id)
	}
	return func(yield func([]event.SessionID) bool) {
		defer h.watchers.remove(w)
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
			}
			if ctx.Err() != nil {
				return
			}
			if !yield(h.watchers.take(w)) {
				return
			}
		}
	}
}

func (w *hostWatchers) add(one *hostWatcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[*hostWatcher]bool{}
	}
	w.all[one] = true
	w.any.Store(true)
}

func (w *hostWatchers) remove(one *hostWatcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, one)
	w.any.Store(len(w.all) > 0)
}

// take returns what has changed, in the order of the ids.
func (w *hostWatchers) take(one *hostWatcher) []event.SessionID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := slices.Sorted(maps.Keys(one.changed))
	clear(one.changed)
	return ids
}

// note records that a session has changed. It takes no lock but that of the watchers.
func (w *hostWatchers) note(id event.SessionID) {
	if !w.any.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		one.changed[id] = true
		select {
		case one.wake <- struct{}{}:
		default:
		}
	}
}

// all returns the open sessions.
func (h *Host) all() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.open))
}
