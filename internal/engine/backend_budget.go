package engine

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file contains what an agent may use: what it has used is known after each answer at best, so that it is stopped when the
// budget is used up, and not before.

// watchAgent is watchBudget for an agent, which is interrupted as soon as the budget is used up, whatever has used it up.
func (t *turn) watchAgent(ctx context.Context) (asking context.Context, stop func()) {
	asking, stopWatch := t.watchBudget(ctx)
	asking, cut := context.WithCancelCause(asking)
	b, over := t.s.opts.Budget, make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-b.Done():
			t.endWaits(b.Err(), cut) // so that what waits is denied, and not withdrawn
			cut(b.Err())
		case <-over:
		}
	})
	t.s.mu.Lock()
	t.halt = cut
	t.s.mu.Unlock()
	return asking, func() {
		close(over)
		wg.Wait()
		stopWatch()
		cut(nil)
	}
}

// price returns what a model costs as the agent names it: a bare name, or with its provider before a slash.
func (d *delegation) price(name string) (p model.Price, known bool) {
	if find := d.t.s.host.cfg.Price; find != nil {
		return find(name)
	}
	return model.Price{}, false
}

// cost returns what an answer has cost: as the agent reports it, or by the price of its model, unless the agent reports costs
// outside of answers. It notes where that is not known.
func (d *delegation) cost(name string, u model.Usage, reported float64) float64 {
	if u != (model.Usage{}) {
		d.used = true
	}
	if reported > 0 {
		d.costed = true
	}
	if reported > 0 || d.costed || u == (model.Usage{}) {
		return reported
	}
	p, known := d.price(name)
	if !known {
		d.unpriced = true
		return 0
	}
	return p.Cost(u)
}

// refuseUnpriced returns why a session with a limit of cost cannot use an agent, whose answers have no price; nil: it can.
func (d *delegation) refuseUnpriced() error {
	if !d.agent.Info().Unpriced || !d.t.s.opts.Budget.LimitsCost() {
		return nil
	}
	if _, known := d.price(d.model()); known {
		return nil
	}
	return d.errUnpriced()
}

func (d *delegation) errUnpriced() error {
	return &backend.Error{
		Backend: d.agent.name, Code: backend.CodeUnpriced,
		Message: fmt.Sprintf("it does not report what answers cost, and the price of its model is not known: a limit of cost cannot hold; remove the limit, or choose a model that the catalogue has (now %s)", d.model()),
	}
}

// endUsage ends the answer under way with what the agent reports at the end of a prompt, or with what can be estimated if it has
// reported nothing.
func (d *delegation) endUsage(u model.Usage) {
	if u == (model.Usage{}) && !d.used {
		t, written := d.t, d.written+session.MessageBytes(model.Message{Role: model.Assistant, Blocks: d.blocks()})
		t.s.mu.Lock()
		u = model.Usage{Input: t.s.contextTokens(), Output: (written + session.BytesPerToken - 1) / session.BytesPerToken, Estimated: true}
		t.s.mu.Unlock()
	}
	d.endMessage(nil, d.priced(backend.MessageEnd{Usage: u}))
	if d.unpriced && !d.costed && d.failure == nil && d.t.s.opts.Budget.LimitsCost() {
		d.failure = d.errUnpriced()
	}
}

// priced returns the end of an answer with what it has cost.
func (d *delegation) priced(end backend.MessageEnd) backend.MessageEnd {
	end.Cost = d.cost(cmp.Or(end.Model, d.model()), end.Usage, end.Cost)
	return end
}
