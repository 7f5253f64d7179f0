package file

import (
	"sync"

	"parley.dev/parley/internal/event"
)

// wakes tells followers that a journal may have grown: of this store's own leases at once,
// of others when the system tells.
type wakes struct {
	watcher watcher

	mu     sync.Mutex // guards the rest; never held while watcher works
	topics map[event.SessionID]*topic
}

// A topic is a session that is being followed.
type topic struct {
	id        event.SessionID
	path      string // of the journal
	followers int
	woken     chan struct{} // closed, and replaced, when the journal may have grown
}

// join counts a follower of the journal at path.
func (w *wakes) join(id event.SessionID, path string) *topic {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.topics[id]
	if t == nil {
		t = &topic{id: id, path: path, woken: make(chan struct{})}
		if w.topics == nil {
			w.topics = map[event.SessionID]*topic{}
		}
		w.topics[id] = t
	}
	t.followers++
	return t
}

func (w *wakes) leave(t *topic) {
	w.mu.Lock()
	t.followers--
	over := t.followers == 0
	if over {
		delete(w.topics, t.id)
	}
	w.mu.Unlock()
	if over {
		w.watcher.remove(t.path, func() bool { return !w.followed(t.id) })
	}
}

func (w *wakes) followed(id event.SessionID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.topics[id] != nil
}

// next is closed at the next wake.
func (w *wakes) next(t *topic) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return t.woken
}

// wake wakes the followers of a session.
func (w *wakes) wake(id event.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.topics[id]; t != nil {
		t.wake()
	}
}

func (t *topic) wake() {
	close(t.woken)
	t.woken = make(chan struct{})
}

// watch wakes the topic also when another process writes, if the system can tell.
func (w *wakes) watch(t *topic) { w.watcher.add(t.path, w.wake) }

// close wakes everybody and ends the watching.
func (w *wakes) close() error {
	w.mu.Lock()
	for _, t := range w.topics {
		t.wake()
	}
	w.mu.Unlock()
	return w.watcher.close()
}
