package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// attempts counts the retries of one model call.
type attempts struct {
	t          *turn
	limited    int // retries after rate limits
	overloaded int
	other      int // retries after anything else
	waits      *backoff.ExponentialBackOff
	open       bool // RetryStarted was shown and not ended

	cancelled bool // the last wait was ended
}

// AbortRetry ends the wait before a model call is tried again, if there is one: the turn
// fails with what that call failed with.
func (s *Session) AbortRetry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slot != nil && s.slot.retrying != nil {
		close(s.slot.retrying)
		s.slot.retrying = nil
	}
}

// wait waits before the next attempt; false: what r failed with is final, or ctx ended. It calls void
// before it waits, if followers saw only reasoning of r.
func (a *attempts) wait(ctx context.Context, r *streamed, void func()) bool {
	p, ok := errors.AsType[*model.Error](r.err)
	if !ok || !p.Temporary() {
		return false
	}
	o := a.t.s.Manners().Retry
	if r.shown && !o.Shown {
		return false
	}
	used, allowed := a.counter(p.Kind, o)
	left := allowed - *used
	if o.Total > 0 {
		left = min(left, o.Total-a.count())
	}
	if left <= 0 || p.RetryAfter > o.Longest {
		return false
	}
	a.done(false)
	if r.thought && !o.Shown {
		void()
	}
	*used++
	delay := a.nextDelay(o)
	if p.RetryAfter > delay || p.RetryAfter > 0 && !o.Steady {
		delay = p.RetryAfter
	}
	aborted := a.begin(event.RetryStarted{
		Attempt: a.count(), Max: a.count() + left - 1, Delay: event.Duration(delay), Failure: *failing(r.err),
	})
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-aborted:
	case <-ctx.Done():
	}
	return a.awake(ctx, r)
}

// counter returns the retries after failures of a kind, and how many there may be.
func (a *attempts) counter(kind model.ErrorKind, o Retry) (used *int, allowed int) {
	switch kind {
	case model.RateLimited:
		return &a.limited, o.RateLimited
	case model.Overloaded:
		if o.Overloaded > 0 {
			return &a.overloaded, o.Overloaded
		}
	}
	return &a.other, o.Unavailable
}

// begin opens a wait; AbortRetry closes the channel.
func (a *attempts) begin(e event.RetryStarted) (aborted <-chan struct{}) {
	s, slot := a.t.s, a.t.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	slot.retrying = make(chan struct{})
	s.log.Show(a.t.id, e)
	a.open = true
	return slot.retrying
}

// awake reports whether a wait ended by itself; then what r had shown is void.
func (a *attempts) awake(ctx context.Context, r *streamed) bool {
	s, slot := a.t.s, a.t.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	a.cancelled = slot.retrying == nil || ctx.Err() != nil
	slot.retrying = nil
	if !a.cancelled {
		s.fold.DropCalls(r.callIDs())
	}
	return !a.cancelled
}

func (a *attempts) nextDelay(o Retry) time.Duration {
	if a.waits == nil {
		a.waits = backoff.NewExponentialBackOff()
		a.waits.InitialInterval, a.waits.Multiplier, a.waits.MaxInterval = o.First, 2, cmp.Or(o.Ceiling, max(o.Longest, o.First))
		if o.Steady {
			a.waits.RandomizationFactor, a.waits.MaxInterval = 0, math.MaxInt64
		}
	}
	return a.waits.NextBackOff()
}

func (a *attempts) count() int { return a.limited + a.overloaded + a.other }

// done closes the open retry, if there is one.
func (a *attempts) done(succeeded bool) {
	if a.open {
		a.open = false
		a.t.show(event.RetryEnded{Attempt: a.count(), Succeeded: succeeded, Cancelled: a.cancelled})
	}
}
