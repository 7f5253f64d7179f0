package engine

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// attempts counts the retries of one model call.
type attempts struct {
	t       *turn
	limited int // retries after rate limits
	other   int // retries after anything else
	waits   *backoff.ExponentialBackOff
	open    bool // RetryStarted was shown and not ended
}

// wait waits before the next attempt; false: err is final, or ctx ended.
func (a *attempts) wait(ctx context.Context, err error) bool {
	p, ok := errors.AsType[*model.Error](err)
	if !ok || !p.Temporary() {
		return false
	}
	o := a.t.s.opts.Retry
	used, allowed := &a.other, o.Unavailable
	if p.Kind == model.RateLimited {
		used, allowed = &a.limited, o.RateLimited
	}
	delay := max(a.nextDelay(o), p.RetryAfter)
	if *used >= allowed || p.RetryAfter > o.Longest {
		return false
	}
	*used++
	a.done(false)
	a.open = true
	a.t.show(event.RetryStarted{Attempt: a.count(), Max: a.count() + allowed - *used, Delay: event.Duration(delay), Failure: *failing(err)})
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (a *attempts) nextDelay(o Retry) time.Duration {
	if a.waits == nil {
		a.waits = backoff.NewExponentialBackOff()
		a.waits.InitialInterval, a.waits.Multiplier, a.waits.MaxInterval = o.First, 2, max(o.Longest, o.First)
	}
	return a.waits.NextBackOff()
}

func (a *attempts) count() int { return a.limited + a.other }

// done closes the open retry, if there is one.
func (a *attempts) done(succeeded bool) {
	if a.open {
		a.open = false
		a.t.show(event.RetryEnded{Attempt: a.count(), Succeeded: succeeded})
	}
}
