package web

import (
	"sync/atomic"
	"time"
)

// A pulse is when the peer of a connection was heard.
type pulse struct {
	last    atomic.Int64 // in nanoseconds of Unix time
	waiting atomic.Int32 // how many goroutines wait for a message, so that the peer could be heard
}

func (p *pulse) seen() { p.last.Store(time.Now().UnixNano()) }

// listenForPeer is called when a message is waited for, and done when it is not any more.
func (p *pulse) listenForPeer() (done func()) {
	p.waiting.Add(1)
	return func() { p.waiting.Add(-1) }
}

// silence returns how long the peer has not been heard; 0 while it cannot be.
func (p *pulse) silence() time.Duration {
	if p.waiting.Load() == 0 {
		p.seen()
		return 0
	}
	return time.Since(time.Unix(0, p.last.Load()))
}
