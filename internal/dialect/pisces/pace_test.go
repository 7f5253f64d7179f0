package pisces

import (
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
)

// streamed plays deltas of 17 bytes, one a millisecond, to a client that takes rate bytes a
// second; 0: at once. It returns the bytes of all updates and how many there were.
func streamed(t *testing.T, kind event.Event, deltas, rate int) (bytes, updates int) {
	synctest.Test(t, func(t *testing.T) {
		const size = 17
		last := 0
		p := newPacer(func() {
			if rate > 0 {
				<-time.After(timeOf(last, rate))
			}
		})
		begin := time.Now()
		for come := 1; come < deltas; {
			last = 400 + 2*size*come
			bytes += last
			updates++
			taken := time.Now()
			p.note(event.Record{Event: kind}, [][]byte{make([]byte, last)})
			gap := p.gap()
			next := begin.Add(time.Duration(come+1) * time.Millisecond)
			if until := taken.Add(gap); until.After(next) {
				next = until
			}
			<-time.After(time.Until(next))
			come = min(deltas, max(come+1, int(time.Since(begin)/time.Millisecond)))
		}
	})
	return bytes, updates
}

// TestPaceOfFastClient: a client that keeps up gets every delta of a long answer.
func TestPaceOfFastClient(t *testing.T) {
	for _, rate := range []int{0, 1 << 30, 100 << 20} {
		if _, updates := streamed(t, event.TextDelta{}, 2000, rate); updates != 1999 {
			t.Errorf("at %d bytes a second: %d updates of 1,999", rate, updates)
		}
	}
}

// TestPaceOfSlowClient: a client that is slow gets at most 25 MB of an answer of 20,000 deltas.
func TestPaceOfSlowClient(t *testing.T) {
	for _, rate := range []int{1 << 18, 1 << 20, 2 << 20, 4 << 20, 8 << 20} {
		bytes, updates := streamed(t, event.TextDelta{}, 20_000, rate)
		t.Logf("%d bytes a second: %d bytes in %d updates", rate, bytes, updates)
		if bytes > 23_000_000 {
			t.Errorf("at %d bytes a second: %d bytes", rate, bytes)
		}
	}
}

// TestPaceLimit: even a client that takes everything gets no more than fullRate.
func TestPaceLimit(t *testing.T) {
	const seconds = 10
	if bytes, _ := streamed(t, event.ThinkingDelta{}, seconds*1000, 0); bytes > burst+(seconds+1)*fullRate {
		t.Errorf("%d bytes in %d s", bytes, seconds)
	}
	if bytes, _ := streamed(t, event.ToolOutput{}, seconds*1000, 0); bytes > outputBurst+(seconds+2)*slowRate {
		t.Errorf("%d bytes of a tool's output in %d s", bytes, seconds)
	}
}

// TestPaceAfterSlow: a client that has stood still for a moment gets every delta again.
func TestPaceAfterSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stall time.Duration
		p := newPacer(func() { <-time.After(stall) })
		gap := func() time.Duration {
			p.note(event.Record{Event: event.TextDelta{}}, [][]byte{make([]byte, 1000)})
			return p.gap()
		}
		if got := gap(); got != 0 {
			t.Errorf("at first: %v", got)
		}
		stall = 2 * slowAfter
		if got := gap(); got != slowGap {
			t.Errorf("after a stall: %v, want %v", got, slowGap)
		}
		stall = 0
		<-time.After(slowFor)
		if got := gap(); got != 0 {
			t.Errorf("later: %v", got)
		}
	})
}
