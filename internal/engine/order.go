package engine

import (
	"context"
	"errors"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A callSlot is where a call stands among the calls of its step.
type callSlot struct {
	before  []*callSlot   // the calls that the model wrote before it
	after   []*callSlot   // the calls that the model wrote after it
	shown   chan struct{} // closed when it is asked about, has begun to run, or is over
	reading chan struct{} // closed when it is known to change nothing
	later   chan struct{} // closed when it is known to wait for the ends of the calls before it
	over    chan struct{} // closed when it is over
	order   CallOrder
	show    func()
	defers  func() // closes later
}

// callSlots returns a slot for each of n calls.
func callSlots(n int, order CallOrder) []*callSlot {
	all := make([]*callSlot, n)
	for i := range all {
		p := &callSlot{
			shown: make(chan struct{}), reading: make(chan struct{}), later: make(chan struct{}), over: make(chan struct{}), order: order,
		}
		p.show = sync.OnceFunc(func() { close(p.shown) })
		p.defers = sync.OnceFunc(func() { close(p.later) })
		p.before, p.after = all[:i], all[i+1:]
		all[i] = p
	}
	return all
}

// leave marks the call as over.
func (p *callSlot) leave() {
	p.show()
	close(p.over)
}

// awaitShown waits until clients know of the call before it, so that they are sent in the
// model's order.
func (p *callSlot) awaitShown(ctx context.Context) {
	if n := len(p.before); n > 0 {
		await(ctx, p.before[n-1].shown)
	}
}

// classify notes whether the call has effects, before anything else is known of it.
func (p *callSlot) classify(effects bool) {
	switch {
	case !effects:
		close(p.reading)
	case p.order == ParallelReads:
		p.defers()
	}
}

// awaitStarts waits until the calls that run at the same time as this one have begun, so that
// clients see all their starts before the first end. It does not wait for a call that waits
// for this one, nor for an approval.
func (p *callSlot) awaitStarts(ctx context.Context) {
	if isClosed(p.later) {
		return
	}
	for _, a := range p.after {
		select {
		case <-a.shown:
		case <-a.later:
		case <-ctx.Done():
			return
		}
		if isClosed(a.later) {
			return // those after it wait for it
		}
	}
}

// awaitTurn waits until the call may run: at once, or, with ParallelReads, after every call whose
// effects it could see, or that could see its.
func (p *callSlot) awaitTurn(ctx context.Context, effects bool) {
	if p.order != ParallelReads {
		return
	}
	if effects {
		p.defers()
	}
	for _, b := range p.before {
		if effects {
			await(ctx, b.over)
			continue
		}
		select {
		case <-b.reading:
		case <-b.over:
		case <-ctx.Done():
		}
	}
}

// awaitOver waits for the ends of the calls before it: what does not run any more ends in the
// model's order.
func (p *callSlot) awaitOver() {
	p.defers()
	for _, b := range p.before {
		<-b.over
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func await(ctx context.Context, done <-chan struct{}) {
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// runCalls runs the tool calls of one step; no call outlives it.
func (t *turn) runCalls(ctx context.Context, message event.MessageID, calls []model.Call) {
	if t.s.opts.Calls != Sequential {
		t.runTogether(ctx, message, calls)
		return
	}
	for i, call := range calls {
		if ctx.Err() != nil || i > 0 && t.steered() {
			return
		}
		call = t.runBeforeHooks(ctx, []model.Call{call})[0]
		t.runCall(ctx, call, t.intend(message, call), callSlots(1, Sequential)[0])
	}
}

// intend records the intent of a call and returns its tool; nil: there is none of that name.
func (t *turn) intend(message event.MessageID, c model.Call) *boundTool {
	bound := t.s.findTool(c.Name)
	intended := event.ToolIntended{Call: event.CallID(c.ID), Message: message, Name: c.Name, Input: c.Input}
	if bound != nil {
		intended.Server, intended.Tool = bound.origin()
		if t.s.isDeferred(bound) {
			t.findTools([]string{bound.Name})
		}
	}
	t.append(intended)
	return bound
}

// errSteered is the cause of the context of calls that a steer does not wait for.
var errSteered = errors.New("a steer came first")

// runTogether runs the calls of a step each in its own goroutine; no call outlives it.
// Their records begin in the model's order. A steer that waits when one of them ends, ends
// the others too, as SteerAfterCall says, before any that waits for that one begins.
func (t *turn) runTogether(ctx context.Context, message event.MessageID, calls []model.Call) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	calls = t.runBeforeHooks(ctx, calls)
	bound := make([]*boundTool, len(calls))
	for i, call := range calls {
		bound[i] = t.intend(message, call)
	}
	var wg sync.WaitGroup
	for i, p := range callSlots(len(calls), t.s.opts.Calls) {
		wg.Go(func() {
			defer p.leave()
			t.runCall(ctx, calls[i], bound[i], p)
			if t.steered() {
				cancel(errSteered)
			}
		})
	}
	wg.Wait()
}

// withdrawn returns the result of a call that ctx ended before it ran.
func (t *turn) withdrawn(ctx context.Context) string {
	if context.Cause(ctx) == errSteered {
		return t.s.text(TextSkipped)
	}
	return t.s.text(TextInterrupted)
}
