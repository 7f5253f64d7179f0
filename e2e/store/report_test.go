//go:build linux

package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// figures are what happened in runs.
type figures struct {
	mu        sync.Mutex // guards the rest
	acks      int
	refusals  int
	unknowns  int
	losses    int
	takeovers []time.Duration
	silence   time.Duration // the longest time without an acknowledgement, of a writer that waits for one
}

// count adds what a session's log has.
func (p *place) count(c *checker, takeover time.Duration) {
	f := &p.figures
	f.mu.Lock()
	defer f.mu.Unlock()
	appends := 0
	for _, e := range c.entries {
		switch {
		case e.Do == opAppend && e.End && e.Outcome == refused:
			f.refusals++
		case e.Do == opAppend && !e.End:
			appends++
		case e.Do == opSync && e.End && e.Outcome == ack:
			f.silence = max(f.silence, time.Duration(e.Time-beginOf(c.entries, e)))
		case e.Do == opLost:
			f.losses++
		}
	}
	acks := 0
	for _, a := range c.acks() {
		if a.token != createdToken {
			acks++
		}
	}
	f.acks += acks
	f.unknowns += appends - acks
	if takeover > 0 {
		f.takeovers = append(f.takeovers, takeover)
	}
}

func (p *place) report(t testing.TB) {
	f := &p.figures
	f.mu.Lock()
	defer f.mu.Unlock()
	text := fmt.Sprintf("R%d: appends: %d acknowledged, %d refused, %d unknown; %d leases lost; the longest wait for an acknowledgement: %v",
		p.replicas, f.acks, f.refusals, f.unknowns-f.refusals, f.losses, f.silence.Round(time.Millisecond))
	if n := len(f.takeovers); n > 0 {
		slices.Sort(f.takeovers)
		text += fmt.Sprintf("; %d takeovers: p50 %v, max %v", n, f.takeovers[n/2].Round(time.Millisecond), f.takeovers[n-1].Round(time.Millisecond))
	}
	t.Log(text)
}
