package sessionlog

import (
	"time"

	"parley.dev/parley/internal/event"
)

// pace limits how often a follower takes deltas. The zero value does not.
type pace struct {
	gap    func() time.Duration // called by the reader after each delta; nil: there is no gap
	asked  bool                 // gap was called after the last delta
	until  time.Time            // when the next delta may go
	last   time.Time            // when the last one went
	others int                  // records in the queue that are not deltas
}

// due calls gap, once after each delta, and returns a channel that is ready when the gap is over.
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

// holds reports whether the queue waits: it contains only deltas, and it is too early for them.
func (f *follower) holds() bool {
	return f.pace.gap != nil && f.pace.others == 0 && f.spool == nil && !f.done && time.Now().Before(f.pace.until)
}

// sameOutput returns the index in the queue of the record that rec may merge with: the last, except
// that live output of parallel tools may pass each other.
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

// isDelta reports whether rec is a delta, which others of its kind can merge with.
func isDelta(rec event.Record) bool {
	switch rec.Event.(type) {
	case event.TextDelta, event.ThinkingDelta, event.ToolInputDelta, event.ToolOutput, event.CommandOutput:
		return true
	}
	return false
}
