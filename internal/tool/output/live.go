package output

import (
	"sync"
	"time"
)

const (
	// liveInterval is how often live output is shown at most: fast enough to look alive.
	liveInterval = 20 * time.Millisecond
	// liveChunk is how many bytes are shown without waiting for the interval.
	liveChunk = 32 << 10
	// liveLimit is how many bytes of one command are shown live. A user does not read more, and
	// every byte is buffered until the slowest client has read it.
	liveLimit = 1 << 20
)

const liveNote = "\n[… the rest is not shown live …]\n"

// A live shows output while it comes: the first at once, then what has gathered,
// every liveInterval.
type live struct {
	show func(text string)

	mu      sync.Mutex
	waiting []byte
	left    int         // of liveLimit
	full    bool        // nothing is taken any more
	timer   *time.Timer // nil: nothing was shown for a liveInterval
}

func newLive(show func(string)) *live {
	return &live{show: show, left: liveLimit}
}

// add takes valid UTF-8.
func (l *live) add(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(text) == 0 || l.full {
		return
	}
	if len(text) > l.left {
		text = append(WholeRunes(text[:l.left:l.left]), liveNote...)
		l.full = true
	}
	l.left -= len(text)
	l.waiting = append(l.waiting, text...)
	if l.timer == nil {
		l.flush()
		l.timer = time.AfterFunc(liveInterval, l.tick)
	} else if len(l.waiting) >= liveChunk {
		l.flush()
	}
}

// tick runs at the end of every interval in which something was shown.
func (l *live) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 || l.timer == nil {
		l.timer = nil
		return
	}
	l.flush()
	l.timer.Reset(liveInterval)
}

// end shows what waits. Nothing is shown after it.
func (l *live) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.flush()
	l.full = true
}

// showWaiting shows what waits, without an end of the interval.
func (l *live) showWaiting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}

func (l *live) flush() {
	if len(l.waiting) > 0 {
		l.show(string(l.waiting))
		l.waiting = l.waiting[:0]
	}
}
