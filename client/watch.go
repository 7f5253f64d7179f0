package client

import (
	"context"
	"errors"
	"iter"
	"sync"

	"parley.dev/parley/record"
)

// Watch yields what each session of the host is whenever that changes, such as the approvals that wait or its clients,
// until ctx ends, whose cause is yielded as an error, or the client is closed. The sessions that are open come first. A
// slow loop is yielded the last state of each session only. After a connection was lost all open sessions are yielded
// again; one that was closed meanwhile is not.
func (c *Client) Watch(ctx context.Context) iter.Seq2[record.ChangedSession, error] {
	return func(yield func(record.ChangedSession, error) bool) {
		for {
			err := c.watch(ctx, yield)
			switch {
			case err == nil: // the connection was lost
			case errors.Is(err, errStopped), errors.Is(err, ErrClosed):
				return
			default:
				yield(record.ChangedSession{}, err)
				return
			}
		}
	}
}

// watch yields what sessions are until the connection is lost.
func (c *Client) watch(ctx context.Context, yield func(record.ChangedSession, error) bool) error {
	conn, err := c.current(ctx)
	if err != nil {
		return err
	}
	w := &watcher{latest: map[string]record.ChangedSession{}, comes: make(chan struct{}, 1)}
	if !conn.addWatcher(w) {
		return nil
	}
	defer conn.removeWatcher(w)
	_, err = conn.request(ctx, "host/watch", map[string]any{}, nil)
	if errors.Is(err, errConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		changed, more := w.take(ctx)
		for _, s := range changed {
			if !yield(s, nil) {
				return errStopped
			}
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !more:
			return nil
		}
	}
}

// A hostSession is the params of host/session; other notifications have its first member, too.
type hostSession struct {
	Session string        `json:"session"`
	Summary record.Listed `json:"summary"`
	Open    bool          `json:"open"`
	Removed bool          `json:"removed"`
	Status  string        `json:"status"`
	Head    uint64        `json:"head"`
	Waiting int           `json:"waiting"`
	Clients int           `json:"clients"`
}

func (h hostSession) changed() record.ChangedSession {
	s := record.ChangedSession{Listed: h.Summary, Head: h.Head, Removed: h.Removed}
	s.ID, s.Open, s.Status, s.Waiting, s.Clients = h.Session, h.Open, h.Status, h.Waiting, h.Clients
	return s
}

// A watcher collects what sessions are for a loop.
type watcher struct {
	mu     sync.Mutex
	latest map[string]record.ChangedSession
	order  []string // of the changes that are collected
	ended  bool     // the connection is lost
	comes  chan struct{}
}

func (w *watcher) add(s record.ChangedSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.latest[s.ID]; !known {
		w.order = append(w.order, s.ID)
	}
	w.latest[s.ID] = s
	w.wake()
}

func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.wake()
}

func (w *watcher) wake() {
	select {
	case w.comes <- struct{}{}:
	default:
	}
}

// take waits for changes and returns them, and whether more may come.
func (w *watcher) take(ctx context.Context) (changed []record.ChangedSession, more bool) {
	for {
		w.mu.Lock()
		for _, id := range w.order {
			changed = append(changed, w.latest[id])
		}
		w.order = nil
		clear(w.latest)
		ended := w.ended
		w.mu.Unlock()
		if len(changed) > 0 || ended {
			return changed, !ended
		}
		select {
		case <-w.comes:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// addWatcher reports whether the connection is still there.
func (c *conn) addWatcher(w *watcher) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watchers == nil {
		return false
	}
	c.watchers[w] = true
	return true
}

func (c *conn) removeWatcher(w *watcher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watchers, w)
}
