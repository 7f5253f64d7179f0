package mcp

import "time"

// A pace is how fast a server is started again that keeps failing.
type pace struct {
	first, most time.Duration
	now         func() time.Time
}

// A pause is the time in which one server is not started again.
type pause struct {
	pace  pace
	last  time.Duration // its length; 0: the server has not failed since the last success
	until time.Time
}

// extend begins a pause, longer than the one before.
func (p *pause) extend() {
	p.last = max(p.pace.first, min(2*p.last, p.pace.most))
	p.until = p.pace.now().Add(p.last)
}

// first returns the length of the shortest pause.
func (p *pause) first() time.Duration { return p.pace.first }

// reset makes the next pause a short one.
func (p *pause) reset() { p.last = 0 }

// end ends the pause.
func (p *pause) end() { p.until = time.Time{} }

// left returns how long the pause still is; not positive: it is over.
func (p *pause) left() time.Duration { return p.until.Sub(p.pace.now()) }
