package pisces

import (
	"time"

	"parley.dev/parley/internal/event"
)

// Each update of a message has the whole message twice, so what a long message costs grows with
// the square of its length. A client that keeps up gets every delta at once, up to fullRate. A
// client that does not keep up gets fewer updates, each with more deltas, at slowRate.
const (
	burst    = 8 << 20  // bytes of updates that may go at once
	fullRate = 48 << 20 // bytes of updates a second after that

	keepUpRate = 16 << 20 // bytes a second that a client has to take to keep up
	slowAfter  = 200 * time.Millisecond
	slowFor    = 2 * time.Second // at first; each further time twice as long
	slowMost   = time.Minute
	slowRate   = 1 << 19 // bytes of updates a second: 20,000 deltas in 20 s are less than 25 MB
	slowGap    = 30 * time.Millisecond

	outputBurst = 6 << 20 // bytes of updates of a running tool before they go at slowRate
)

// A pacer computes how long the next update of a message, or of a running call, has to wait.
// Deltas merge meanwhile.
type pacer struct {
	flush func() // waits until the client has taken what was sent

	bytes  int       // of the last update
	sent   time.Time // when it was made
	output bool      // it was output of a tool

	credit  int       // bytes that may go at once; below 0 the next update waits
	counted time.Time // the time up to which credit was given

	outputs int           // bytes of updates of the running tool
	behind  time.Duration // how much longer the client took than one that keeps up
	slow    time.Time     // the client is slow until then
	slowFor time.Duration // how long it will be slow if it is found to be again
}

func newPacer(flush func()) *pacer {
	return &pacer{flush: flush, credit: burst, slowFor: slowFor}
}

// note notes the lines of a record.
func (p *pacer) note(rec event.Record, lines [][]byte) {
	p.bytes, p.sent, p.output = 0, time.Now(), false
	for _, line := range lines {
		p.bytes += len(line)
	}
	switch rec.Event.(type) {
	case event.TextDelta, event.ThinkingDelta, event.ToolInputDelta:
	case event.ToolOutput:
		p.output = true
		p.outputs += p.bytes
	default:
		p.outputs = 0
	}
}

// gap waits until the client has taken the last update, and returns how long the next one has
// to wait after that one.
func (p *pacer) gap() time.Duration {
	p.flush()
	now := time.Now()
	if p.credit += int(min(now.Sub(p.counted), time.Second) * fullRate / time.Second); p.credit > burst {
		p.credit = burst
	}
	p.credit, p.counted = p.credit-p.bytes, now
	p.measure(now)
	switch {
	case now.Before(p.slow), p.output && p.outputs >= outputBurst:
		return max(slowGap, timeOf(p.bytes, slowRate))
	case p.credit < 0:
		return now.Sub(p.sent) + timeOf(-p.credit, fullRate)
	}
	return 0
}

// measure finds out whether the client keeps up.
func (p *pacer) measure(now time.Time) {
	p.behind = max(0, p.behind+now.Sub(p.sent)-timeOf(p.bytes, keepUpRate))
	if p.behind < slowAfter || now.Before(p.slow) {
		return
	}
	p.behind, p.slow = 0, now.Add(p.slowFor)
	p.slowFor = min(2*p.slowFor, slowMost)
}

// timeOf returns how long that many bytes take at a rate.
func timeOf(bytes, rate int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(rate)
}
