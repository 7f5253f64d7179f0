package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// The vocabulary of budgets, for packages that import the engine only.
type (
	Budget = budget.Budget
	Limits = budget.Limits
	// A BudgetPlan is the limits of a session, and of its subagents within those.
	BudgetPlan = budget.Plan
)

// NewBudget returns the budget of one or more sessions; nil if no limit is set.
func NewBudget(p BudgetPlan) *Budget { return budget.New(p) }

// BudgetPlan returns the limits of all sessions of the host that have no budget of their own.
func (h *Host) BudgetPlan() BudgetPlan { return h.cfg.Budget.Plan() }

// spend counts what a model call used, and records the events that result.
func (s *Session) spend(turn event.TurnID, u model.Usage, cost float64) {
	s.recordBudget(turn, s.opts.Budget.Add(useOf(u, cost)))
}

// recordBudget records events of the budget, if there are any.
func (s *Session) recordBudget(turn event.TurnID, found []event.Event) {
	if len(found) > 0 {
		s.log.Append(turn, found...)
	}
}

func useOf(u model.Usage, cost float64) budget.Use {
	return budget.Use{InputTokens: u.Context(), OutputTokens: u.Output, Cost: cost}
}

// countInherited counts what others have used of a session that is opened, if that counts.
func (s *Session) countInherited() {
	if st := s.fold.State; s.host.cfg.CountResumed && s.opened.foreign {
		use := useOf(st.Usage, st.Cost)
		use.ToolCalls = st.Calls
		s.recordBudget("", s.opts.Budget.Add(use))
	}
}

// awaited reports whether something waits that the turn would go on with.
func (t *turn) awaited() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	st := &t.s.fold.State
	return len(st.Steering) > 0 || len(st.FollowUps) > 0 && t.s.opts.FollowUps&FollowUpInNewTurn == 0
}

// watchBudget watches the budget until stop is called, which waits for the end of it. Asking is
// for model calls: it ends with ctx, and when the time is up. Whatever has used the budget up,
// approvals are not waited for any more; when the time is up, nor are questions.
func (t *turn) watchBudget(ctx context.Context) (asking context.Context, stop func()) {
	b := t.s.opts.Budget
	if b == nil {
		return ctx, func() {}
	}
	asking, cut := context.WithCancelCause(ctx)
	stopClock := b.Start()
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var ticks <-chan time.Time
		if every := b.CheckInterval(); every > 0 {
			ticker := time.NewTicker(every)
			defer ticker.Stop()
			ticks = ticker.C
		}
		done := b.Done()
		for {
			select {
			case <-ticks:
				t.recordBudget(b.CheckWallTime)
			case <-b.EventsQueued():
				t.recordBudget(b.TakeEvents)
			case <-done:
				done = nil
				t.recordBudget(b.TakeEvents)
				t.endWaits(b.Err(), cut)
			case <-over:
				return
			}
		}
	})
	return asking, func() {
		close(over)
		wg.Wait()
		stopClock()
		t.recordBudget(b.TakeEvents)
		cut(nil)
	}
}

// recordBudget records the events that find returns.
func (t *turn) recordBudget(find func() []event.Event) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.recordBudget(t.id, find())
}

// endWaits ends what a used up budget does not let the turn wait for.
func (t *turn) endWaits(err error, cut context.CancelCauseFunc) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Clone(s.fold.Open.Approvals) {
		if pending := s.clients.approvals[id]; pending != nil && !pending.passedOn {
			s.resolve(id, answer{reason: notRun(err).Error(), by: event.ByPolicy})
		}
	}
	if s.timeUp() {
		cut(err)
		s.cancelQuestions(event.ByPolicy)
	}
}

// timeUp reports whether it is its time that has used the budget up.
func (s *Session) timeUp() bool {
	err := s.opts.Budget.Err()
	return err != nil && failing(err).Code == string(event.BudgetWallTime)
}
