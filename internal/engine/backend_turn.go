package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A delegation is one prompt that an agent works on. Its methods are called by the goroutine of the turn.
type delegation struct {
	t      *turn
	ctx    context.Context // for what the agent asks: it ends with the turn of the agent
	cancel context.CancelCauseFunc
	agent  *runningAgent

	step    int    // that is open; 0: none is
	message string // the agent's name of the answer under way
	id      event.MessageID
	texts   []*strings.Builder // of the answer under way, by block
	kinds   []model.BlockKind
	grown   *growth // nil: no answer is under way

	calls   map[string]*delegatedCall
	order   []*delegatedCall // as they came
	asks    sync.WaitGroup
	unpaid  atomic.Bool     // a call was refused since the budget is used up
	noted   map[string]bool // codes of notices of this prompt
	reason  event.TurnReason
	ended   backend.End
	failure error

	steering *steerSender // nil: the agent takes no steers
	retries  int          // attempts so far for a request that the agent tries again
	retrying bool         // it waits for that
	compacts bool         // it summarises its context
	tokens   int          // in its context; 0: not known

	used     bool // it has reported what it uses
	costed   bool // it has reported what that costs
	unpriced bool // the cost of an answer is not known
	written  int  // bytes of answers
}

func newDelegation(t *turn, ctx context.Context, a *runningAgent) *delegation {
	d := &delegation{t: t, agent: a, calls: map[string]*delegatedCall{}}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	return d
}

// run has the agent work on a prompt. The end of ctx interrupts it.
func (d *delegation) run(ctx context.Context, p backend.Prompt) error {
	defer d.close()
	d.steer(ctx)
	d.t.s.mu.Lock()
	d.openStep() // so that it is on disk when the answer begins
	d.t.s.mu.Unlock()
	if err := d.t.s.mayCall(ctx); err != nil {
		return err
	}
	for u, err := range d.agent.Turn(ctx, p) {
		if err != nil {
			return err
		}
		_ = d.t.s.log.AwaitRoom(ctx) // it ends with ctx
		d.steering.begin()
		d.take(u)
		if d.failure != nil {
			return d.failure
		}
	}
	switch {
	case d.ended.Failure != nil:
		return d.ended.Failure
	case d.reason == "":
		return &backend.Error{Backend: d.agent.name, Code: backend.CodeProtocol, Message: "it has not reported the end of the turn"}
	case d.reason == event.TurnFailed:
		return &backend.Error{Backend: d.agent.name, Code: backend.CodeRefused, Message: "the turn has failed; it does not say why"}
	}
	return nil
}

// take records what the agent reports. What comes after the end does not count.
func (d *delegation) take(u backend.Update) {
	if d.reason != "" {
		d.stray(fmt.Sprintf("%T after the end of the turn", u))
		return
	}
	switch u := u.(type) {
	case backend.Retry:
		d.retry(u)
		return
	case backend.Usage:
		d.use(u)
		return
	case backend.Note:
		d.t.append(event.Notice{Level: u.Level, Code: u.Code, Text: u.Text})
		return
	case backend.End:
		d.endRetry(u.Reason != event.TurnFailed && u.Reason != event.TurnInterrupted)
		d.end(u)
		return
	}
	d.endRetry(true)
	d.takeWork(u)
	if d.grown == nil && !d.open() {
		d.steering.record()
	}
}

// takeWork records what the agent does.
func (d *delegation) takeWork(u backend.Update) {
	switch u := u.(type) {
	case backend.Text:
		d.say(model.KindText, u.Message, u.Text)
	case backend.Thought:
		d.say(model.KindThinking, u.Message, u.Text)
	case backend.MessageEnd:
		d.endMessage(nil, d.priced(u))
	case backend.Call:
		d.call(u)
	case backend.Output:
		d.output(u)
	case backend.CallEnd:
		d.endCall(u)
	case backend.Ask:
		d.ask(u)
	case backend.Plan:
		d.t.append(event.PlanUpdated{Items: u.Items})
	case backend.Question:
		d.question(u)
	case backend.Compacting:
		d.compacting()
	case backend.Compacted:
		d.compacted(u)
	}
}

// use shows how full the agent's context is, and counts what it has cost.
func (d *delegation) use(u backend.Usage) {
	t := d.t
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if u.Context > 0 {
		d.tokens = u.Context
		t.s.log.Show(t.id, event.ContextEstimated{Tokens: u.Context, Window: u.Window})
	}
	if u.Cost > 0 {
		d.costed = true
		t.s.spend(t.id, model.Usage{}, u.Cost)
	}
}

// end takes the end that the agent reports. What it has asked is withdrawn.
func (d *delegation) end(u backend.End) {
	d.cancel(errAgentEnded)
	d.asks.Wait()
	d.endUsage(u.Usage)
	d.reason, d.ended = u.Reason, u
}

// close ends what is open.
func (d *delegation) close() {
	d.cancel(errAgentEnded)
	d.asks.Wait()
	d.endRetry(false)
	d.endMessage(nil, backend.MessageEnd{})
	d.endCompaction()
	for _, c := range d.order {
		d.finish(c, event.ToolEnded{
			Call: c.id, Outcome: event.Interrupted, Output: "[the agent has not reported the end of this call]", Ran: event.Duration(time.Since(c.begun)),
		})
	}
	d.closeStep()
	d.steering.finish()
}
