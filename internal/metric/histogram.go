package metric

import (
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of the buckets of a histogram: from an acknowledgement of one server in memory to an election.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// A Histogram counts durations. The zero value is empty. It is safe for concurrent use, and an observation is two atomic
// additions.
type Histogram struct {
	counts [len(bounds) + 1]atomic.Int64 // the last one is of what is longer than all bounds
	sum    atomic.Int64                  // nanoseconds
}

// Observe counts a duration.
func (h *Histogram) Observe(d time.Duration) {
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(d))
}
