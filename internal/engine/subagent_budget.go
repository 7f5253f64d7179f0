package engine

import (
	"errors"
	"fmt"
	"sync"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// This file contains what subagents may use: those of one call together, and those that work at one
// task of it. All of it is used of the session's budget, too.

// own returns the budget of the call. The first call of own begins it.
func (a *subagents) own() *Budget {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		s := a.t.s
		a.begun, a.parts = true, map[string]*Budget{}
		a.budget = s.opts.Budget.Child(event.BudgetOfTask)
		a.stop = a.budget.Start()
	}
	return a.budget
}

// part returns the budget of the subagents that work at one task.
func (a *subagents) part(task string) *Budget {
	whole := a.own()
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, there := a.parts[task]; !there {
		a.parts[task] = whole.Child(event.BudgetOfSubagent)
	}
	return a.parts[task]
}

// close ends the budgets, after the call.
func (a *subagents) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		return
	}
	a.stop()
	for _, part := range a.parts {
		part.Close()
	}
	a.budget.Close()
}

// start records that a subagent begins, unless there may be no more of them. What that leads to
// comes right after it.
func (a *subagents) start(e event.Event) error {
	whole, s := a.own(), a.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slot != a.t.slot {
		return ErrInterrupted
	}
	found, err := whole.Claim(budget.Use{Subagents: 1})
	if err != nil {
		return err
	}
	s.log.Append(a.t.id, e)
	s.recordBudget(a.t.id, found)
	s.recordBudget(a.t.id, s.opts.Budget.TakeEvents())
	return nil
}

// refused returns the result of a subagent that does not begin, or not again.
func (a *subagents) refused(task string, err error) tool.SubagentResult {
	spent, ok := errors.AsType[*budget.Error](err)
	if !ok {
		return tool.SubagentResult{Reason: event.TurnInterrupted, Error: "The subagent was interrupted."}
	}
	a.Record(a.part(task).Refusal())
	return tool.SubagentResult{Reason: event.TurnBudget, Error: fmt.Sprintf("Budget exceeded (%s)", spent.Reason)}
}

// watchBudget records events of the call's budget, until stop is called, which waits
// for the end of it.
func (a *subagents) watchBudget() (stop func()) {
	whole := a.own()
	if whole == nil {
		return func() {}
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-whole.EventsQueued():
				a.recordBudget(whole)
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		wg.Wait()
		a.recordBudget(whole)
		a.recordBudget(a.t.s.opts.Budget)
	}
}

// recordBudget records events of b while the turn runs.
func (a *subagents) recordBudget(b *Budget) {
	s := a.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := b.TakeEvents(); s.slot == a.t.slot {
		s.recordBudget(a.t.id, found)
	}
}
