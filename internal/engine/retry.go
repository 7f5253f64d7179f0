package engine

import (
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// attempts are the retries of one model call.
type attempts struct {
	t    *turn
	past []model.ErrorKind // the failures after which it was made again
	open bool              // RetryStarted was shown and not ended

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

// wait waits before the next attempt, and reports whether there is one: what r failed with is final, or ctx
// ended, otherwise. It calls void before it waits, if followers have something of r that is not discarded.
func (a *attempts) wait(ctx context.Context, r *streamed, void func()) bool {
	p, ok := errors.AsType[*model.Error](r.err)
	policy := a.t.s.retryPolicy()
	if !ok || !p.Temporary() || policy == nil {
		return false
	}
	next, ok := policy.Retry(FailedCall{Err: p, Shown: r.shown, Past: a.past})
	if !ok {
		return false
	}
	a.done(false)
	if !next.Discard && (r.shown || r.thought) {
		void()
	}
	a.past = append(a.past, p.Kind)
	aborted := a.begin(event.RetryStarted{
		Attempt: len(a.past), Max: len(a.past) + next.Left, Delay: event.Duration(next.Delay), Failure: *failing(r.err),
	})
	timer := time.NewTimer(next.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-aborted:
	case <-ctx.Done():
	}
	return a.awake(ctx, r)
}

// retryPolicy returns the policy that holds now; it may be nil.
func (s *Session) retryPolicy() RetryPolicy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Retry
}

// retriesEmpty reports whether the policy that holds now has an empty answer requested once more.
func (s *Session) retriesEmpty() bool {
	p := s.retryPolicy()
	return p != nil && p.RetriesEmpty()
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

// done closes the open retry, if there is one.
func (a *attempts) done(succeeded bool) {
	if a.open {
		a.open = false
		a.t.show(event.RetryEnded{Attempt: len(a.past), Succeeded: succeeded, Cancelled: a.cancelled})
	}
}
