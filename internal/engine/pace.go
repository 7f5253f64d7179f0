package engine

import (
	"time"

	"parley.dev/parley/internal/event"
)

// pace is how often a follower takes deltas. The zero value is: as they come.
type pace struct {
	gap    func() time.Duration // asked by the reader behind each delta; nil: there is no gap
	asked  bool                 // behind the last delta
	until  time.Time            // when the next delta may go
	last   time.Time            // when the last one went
	others int                  // records in the queue that are no deltas
}

// due asks for the gap, once behind each delta, and is ready when it is over.
func (p *pace) due() (over <-chan time.Time, stop func()) {
	if p.gap == nil {
		return nil, func() {}
	}
	if !p.asked && !p.last.IsZero() {
		p.asked, p.until = true, p.last.Add(p.gap())
	}
	left := time.Until(p.until)
	if left <= 0 {
		return nil, func() {}
	}
	timer := time.NewTimer(left)
	return timer.C, func() { timer.Stop() }
}

func (p *pace) came(rec event.Record) {
	if p.gap != nil && !isDelta(rec) {
		p.others++
	}
}

func (p *pace) went(rec event.Record) {
	switch {
	case p.gap == nil:
	case isDelta(rec):
		p.asked, p.last = false, time.Now()
	default:
		p.others--
	}
}

// holds says whether the queue waits: nothing but deltas is in it, and it is too early.
func (f *follower) holds() bool {
	return f.pace.gap != nil && f.pace.others == 0 && f.spool == nil && !f.done && time.Now().Before(f.pace.until)
}

// sameOutput is the place in the queue of what rec may merge with: the last, but live output
// of tools that run side by side may pass each other.
func (f *follower) sameOutput(rec event.Record) int {
	last := len(f.queue) - 1
	d, ok := rec.Event.(event.ToolOutput)
	for i := last; ok && i >= 0; i-- {
		e, output := f.queue[i].rec.Event.(event.ToolOutput)
		if !output {
			break
		}
		if e.Call == d.Call {
			return i
		}
	}
	return last
}

// isDelta says whether rec is a piece that others of its kind merge with.
func isDelta(rec event.Record) bool {
	switch rec.Event.(type) {
	case event.TextDelta, event.ThinkingDelta, event.ToolInputDelta, event.ToolOutput:
		return true
	}
	return false
}
