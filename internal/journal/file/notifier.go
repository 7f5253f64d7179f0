package file

import (
	"sync"

	"parley.dev/parley/internal/event"
)

// A notifier notifies followers that a journal may have grown: for this store's own leases at once,
// for other writers when the system reports a change. A second one notifies holders of leases that
// one may be requested.
type notifier struct {
	watcher watcher

	mu     sync.Mutex // guards the rest; never held during calls of watcher
	topics map[event.SessionID]*topic
}

// A topic is a session that is being followed.
type topic struct {
	id        event.SessionID
	path      string // of what is watched: the journal, or its folder
	followers int
	changed   chan struct{} // closed, and replaced, when it may have changed
}

// subscribe adds a follower of what is at path.
func (n *notifier) subscribe(id event.SessionID, path string) *topic {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.topics[id]
	if t == nil {
		t = &topic{id: id, path: path, changed: make(chan struct{})}
		if n.topics == nil {
			n.topics = map[event.SessionID]*topic{}
		}
		n.topics[id] = t
	}
	t.followers++
	return t
}

func (n *notifier) unsubscribe(t *topic) {
	n.mu.Lock()
	t.followers--
	last := t.followers == 0
	if last {
		delete(n.topics, t.id)
	}
	n.mu.Unlock()
	if last {
		n.watcher.remove(t.path, func() bool { return !n.hasFollowers(t.id) })
	}
}

func (n *notifier) hasFollowers(id event.SessionID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.topics[id] != nil
}

// changed returns a channel that is closed at the next notification of t.
func (n *notifier) changed(t *topic) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return t.changed
}

// notify notifies the followers of a session.
func (n *notifier) notify(id event.SessionID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t := n.topics[id]; t != nil {
		t.notify()
	}
}

func (t *topic) notify() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// watch also notifies the followers when another process writes, and reports whether the system
// watches for that.
func (n *notifier) watch(t *topic) bool { return n.watcher.add(t.path, n.notify) }

// close notifies all followers and stops watching.
func (n *notifier) close() error {
	n.mu.Lock()
	for _, t := range n.topics {
		t.notify()
	}
	n.mu.Unlock()
	return n.watcher.close()
}
