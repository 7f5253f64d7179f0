package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func TestRetry(t *testing.T) {
	limited := &model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 7 * time.Second}
	cut := &model.Error{Kind: model.BrokenStream, Message: "cut"}
	cases := []struct {
		name    string
		answers []answerFunc
		calls   int
		reason  event.TurnReason
		atLeast time.Duration
	}{
		{"waits as long as it is told", []answerFunc{fail(limited), fail(limited), say("ok")}, 3, event.TurnCompleted, 14 * time.Second},
		{"three rate limits at most", []answerFunc{fail(limited), fail(limited), fail(limited), fail(limited)}, 4, event.TurnFailed, 21 * time.Second},
		{"two of anything else at most", []answerFunc{fail(cut), fail(cut), fail(cut)}, 3, event.TurnFailed, 0},
		{"not after something was shown", []answerFunc{sayThenFail("The ", cut)}, 1, event.TurnFailed, 0},
		{"not what waiting cannot mend", []answerFunc{fail(&model.Error{Kind: model.Quota})}, 1, event.TurnFailed, 0},
		{"not longer than anyone would wait", []answerFunc{fail(&model.Error{Kind: model.RateLimited, RetryAfter: time.Hour})}, 1, event.TurnFailed, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil, c.answers...)
				s := b.session(t, nil)
				start := time.Now()
				end := ended(t, turnOf(t, s, "go", nil))
				if end.Reason != c.reason || len(b.requests()) != c.calls {
					t.Errorf("%s after %d calls, want %s after %d", end.Reason, len(b.requests()), c.reason, c.calls)
				}
				if waited := time.Since(start); waited < c.atLeast {
					t.Errorf("waited %s, want at least %s", waited, c.atLeast)
				}
			})
		})
	}
}

func TestInterruptDuringRetry(t *testing.T) {
	b := newBench(t, nil, fail(&model.Error{Kind: model.RateLimited, RetryAfter: time.Minute}))
	s := b.session(t, nil)
	end := ended(t, turnOf(t, s, "go", func(rec event.Record) {
		if _, ok := rec.Event.(event.RetryStarted); ok {
			s.Interrupt()
		}
	}))
	if end.Reason != event.TurnInterrupted {
		t.Errorf("reason = %s", end.Reason)
	}
}
