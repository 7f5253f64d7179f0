package batchtest

import (
	"context"

	"parley.dev/parley/internal/batch"
)

// An overtaken store does something before the first read of a ledger.
type overtaken struct {
	batch.Store
	before func()
}

func (o *overtaken) Last(ctx context.Context, log batch.Log) (batch.Entry, error) {
	if before := o.before; before != nil && log.Kind == batch.LedgerLog {
		o.before = nil
		before()
	}
	return o.Store.Last(ctx, log)
}

// overtakenClaim: a worker that reserves for a task which another worker has finished meanwhile leaves no reservation.
func overtakenClaim(e *env) {
	s := e.open()
	b := impatient(s)
	limit := func(n int) batch.Budget { return batch.Budget{ToolCalls: n} }
	_, err := b.Submit(e.ctx, batch.Submission{ID: "x", Queue: "q", Budget: limit(8), Tasks: tasks(2, func(t *batch.Task) { t.Budget = limit(4) })})
	e.must(err)
	d := e.pull(s, "q")
	slow := &overtaken{Store: s, before: func() {
		a, err := b.Claim(e.ctx, d, batch.Worker{ID: "fast"})
		e.must(err)
		e.finish(a, batch.Outcome{Status: batch.Done, ToolCalls: 1})
	}}
	if a, err := impatient(slow).Claim(e.ctx, d, batch.Worker{ID: "slow"}); err != nil || a != nil {
		e.Fatalf("an attempt began: %v", err)
	}
	if a, err := b.Claim(e.ctx, e.pull(s, "q"), batch.Worker{ID: "fast"}); err != nil || a == nil {
		e.Errorf("the next task waits for a reservation that stayed: %v", err)
	}
}

// sharedLedger: what another process reserves and uses counts, also where a process knows an earlier ledger.
func sharedLedger(e *env) {
	limit := func(n int) batch.Budget { return batch.Budget{ToolCalls: n} }
	one, other := impatient(e.open()), impatient(e.open())
	_, err := one.Submit(e.ctx, batch.Submission{ID: "x", Queue: "q", Budget: limit(8), Tasks: tasks(6, func(t *batch.Task) { t.Budget = limit(4) })})
	e.must(err)
	refused := func(b *batch.Batches) {
		e.Helper()
		if a, err := b.Claim(e.ctx, e.pull(b.Store(), "q"), batch.Worker{ID: "w"}); err != nil || a != nil {
			e.Errorf("an attempt began that the budget has no room for: %v", err)
		}
	}
	mine, theirs := e.claim(one, "one"), e.claim(other, "other")
	refused(one) // which knows its own reservation only
	e.finish(mine, batch.Outcome{Status: batch.Done, ToolCalls: 0})
	mine = e.claim(one, "one")
	e.finish(theirs, batch.Outcome{Status: batch.Done, ToolCalls: 0})
	again := e.claim(one, "one") // which knows both reservations as open
	e.finish(mine, batch.Outcome{Status: batch.Done, ToolCalls: 4})
	refused(other) // which knows that nothing is reserved
	e.finish(again, batch.Outcome{Status: batch.Done, ToolCalls: 4})
	for !e.report(one).Finished { // all is spent
		refused(other)
	}
	if r := e.report(one); r.Done != 4 || r.NoBudget != 2 {
		e.Errorf("%+v", r)
	}
}
