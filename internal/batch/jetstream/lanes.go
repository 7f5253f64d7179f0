package jetstream

import (
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/stream"
)

// A lane is the tasks of one batch in one queue. It has a consumer of its own.
type lane struct{ queue, batch string }

// The name of a consumer is q_QUEUE=BATCH: neither id has "=".
const (
	lanePrefix    = "q_"
	laneSeparator = "="
)

func parseLane(name string) (lane, bool) {
	rest, ours := strings.CutPrefix(name, lanePrefix)
	queue, batch, ok := strings.Cut(rest, laneSeparator)
	return lane{queue, batch}, ours && ok
}

// consumer returns the consumer of a lane.
func (l lane) consumer(n stream.Namespace, visibility time.Duration) stream.Consumer {
	return stream.Consumer{Name: lanePrefix + l.queue + laneSeparator + l.batch, Filter: n.QueuedBatch(l.queue, l.batch), Wait: visibility}
}

const (
	// minPoll and maxPoll bound the interval at which an empty lane is polled: for what is delivered again, of which
	// there is no notification. The interval doubles, so it is not longer than the time that the lane was empty.
	minPoll = time.Millisecond
	maxPoll = 2 * time.Second
	// minRefresh and maxRefresh bound the interval at which the names of consumers are read.
	minRefresh = 10 * time.Millisecond
	maxRefresh = 2 * time.Second
	// idleLane is how long a lane is empty before its consumer is deleted.
	idleLane = 10 * time.Minute
)

// A laneState is what a Store knows of a lane.
type laneState struct {
	served   int           // when a task of it was pulled last, as a count of pulls
	due      time.Time     // when it is polled next
	interval time.Duration // until the poll after that, if it is empty
	empty    time.Time     // since when it is; zero: it was not
}

// lanes are the lanes that a Store knows.
type lanes struct {
	poll chan struct{} // has room while no call polls: a task is taken by one call after another

	mu      sync.Mutex // guards the rest
	pulls   int
	all     map[lane]*laneState
	refresh time.Time // when the names of consumers are read next
	every   time.Duration
	changed chan struct{} // closed, and replaced, when a lane may have become due earlier
}

func newLanes() *lanes {
	return &lanes{poll: make(chan struct{}, 1), all: map[lane]*laneState{}, changed: make(chan struct{})}
}

// stale reports whether the names of consumers have to be read. If so, the interval until the next time begins.
func (ls *lanes) stale() bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	now := time.Now()
	if now.Before(ls.refresh) {
		return false
	}
	ls.every = max(minRefresh, min(2*ls.every, maxRefresh))
	ls.refresh = now.Add(ls.every)
	return true
}

// replace adds the lanes of consumers, and removes those that have none any more.
func (ls *lanes) replace(names []string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	found := map[lane]*laneState{}
	for _, name := range names {
		l, ok := parseLane(name)
		if !ok {
			continue
		}
		if found[l] = ls.all[l]; found[l] == nil {
			found[l] = &laneState{}
		}
	}
	ls.all = found
}

// next returns the lane of queues that is polled next: of those that are due the one that was served the longest time
// ago.
func (ls *lanes) next(queues []string) (l lane, ok bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	now := time.Now()
	for other, st := range ls.all {
		if st.due.After(now) || !slices.Contains(queues, other.queue) {
			continue
		}
		if !ok || ls.before(other, l) {
			l, ok = other, true
		}
	}
	return l, ok
}

func (ls *lanes) before(a, b lane) bool {
	x, y := ls.all[a], ls.all[b]
	if x.served != y.served {
		return x.served < y.served
	}
	return a.queue < b.queue || a.queue == b.queue && a.batch < b.batch
}

// serve notes that a task of a lane was pulled.
func (ls *lanes) serve(l lane) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if st := ls.all[l]; st != nil {
		ls.pulls++
		*st = laneState{served: ls.pulls}
	}
}

// emptied notes that a lane has no task that is due. It reports whether it has had none for long.
func (ls *lanes) emptied(l lane) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	st := ls.all[l]
	if st == nil {
		return false
	}
	now := time.Now()
	if st.empty.IsZero() {
		st.empty = now
	}
	st.interval = max(minPoll, min(2*st.interval, maxPoll))
	st.due = now.Add(st.interval)
	return now.Sub(st.empty) > idleLane
}

// remove forgets a lane.
func (ls *lanes) remove(l lane) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.all, l)
}

// wake makes a lane due after a delay, and the names of consumers be read at once if it is not known.
func (ls *lanes) wake(l lane, delay time.Duration) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	at := time.Now().Add(delay)
	switch st := ls.all[l]; {
	case st == nil:
		ls.refresh, ls.every = time.Time{}, 0
	case st.due.After(at):
		st.due, st.interval = at, 0
	case delay > 0:
		return
	default:
		st.interval = 0
	}
	close(ls.changed)
	ls.changed = make(chan struct{})
}

// notification returns a channel that is closed when a lane may have become due earlier.
func (ls *lanes) notification() <-chan struct{} {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.changed
}

// delay returns how long no lane of queues is due.
func (ls *lanes) delay(queues []string) time.Duration {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	at := ls.refresh
	for l, st := range ls.all {
		if slices.Contains(queues, l.queue) && st.due.Before(at) {
			at = st.due
		}
	}
	return max(minPoll, time.Until(at))
}
