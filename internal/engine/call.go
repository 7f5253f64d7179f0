package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A pendingCall is a call of a tool on its way through the stages.
type pendingCall struct {
	t     *turn
	id    event.CallID
	made  model.Call // with the input that runs
	bound *boundTool // nil: no tool of that name is offered
	slot  *callSlot  // its place among the calls of the step

	prepared tool.Call        // validate sets it, and the request
	request  approval.Request // what the call needs
	answer   answer           // approve sets it

	hooks   tool.Hooks // start sets them: what the call runs with
	result  tool.Result
	outcome event.Outcome
	ran     time.Duration // without the waits for the user
}

// stages returns the way of a call from its intent, which is recorded already, to its end, which is recorded
// after them. A stage that returns an ending is the last: the call ends with that.
//
// The hooks before a call are asked about all calls of the step at once, before their intents are recorded,
// since they can change inputs; see askBefore.
func stages() []func(*pendingCall, context.Context) *ending {
	return []func(*pendingCall, context.Context) *ending{
		(*pendingCall).preHooks,  // did a hook deny the call?
		(*pendingCall).validate,  // does the input fit, and what does the call need?
		(*pendingCall).propose,   // clients see what it would do to files
		(*pendingCall).approve,   // rules, grants, hooks and the user: may it run?
		(*pendingCall).order,     // calls that it must not overtake end first
		(*pendingCall).start,     // its start is on disk if it has effects
		(*pendingCall).intercept, // plugins may refuse it, or change its input
		(*pendingCall).run,
		(*pendingCall).postHooks, // a hook may fail it
	}
}

// runCall takes one call through the stages and records its end.
func (t *turn) runCall(ctx context.Context, made model.Call, bound *boundTool, slot *callSlot) {
	c := &pendingCall{t: t, id: event.CallID(made.ID), made: made, bound: bound, slot: slot}
	for _, stage := range stages() {
		if end := stage(c, ctx); end != nil {
			slot.awaitShown(ctx)
			t.finish(c.id, *end)
			return
		}
	}
	c.record(ctx)
}

// effects reports whether the call may change something.
func (c *pendingCall) effects() bool { return c.request.Level > approval.Read }

func (c *pendingCall) preHooks(context.Context) *ending {
	if reason, denied := c.t.deniedBefore(c.id); denied {
		return &ending{outcome: event.Denied, result: tool.Failed(reason)}
	}
	return nil
}

func (c *pendingCall) validate(context.Context) *ending {
	if err := c.prepare(c.made); err != nil {
		return &ending{outcome: event.Failed, result: tool.Failed(err.Error())}
	}
	c.slot.classify(c.effects())
	return nil
}

// prepare sets what the call runs and needs with the input of made. The error is a result for the model.
func (c *pendingCall) prepare(made model.Call) error {
	prepared, err := c.t.prepare(c.bound, made)
	if err != nil {
		return err
	}
	c.made, c.prepared, c.request = made, prepared, prepared.Request()
	c.request.Tool, c.request.Workspace = made.Name, c.t.env.Workspace.Dir()
	return nil
}

// propose records what the call would do to files, where the options ask for it. What is hidden is not
// read before it is approved.
func (c *pendingCall) propose(ctx context.Context) *ending {
	defer c.slot.awaitShown(ctx)
	t := c.t
	proposer, ok := c.prepared.(tool.Proposer)
	if !ok || !t.s.opts.Preview || t.hides(c.request) {
		return nil
	}
	files := t.previewFiles(ctx, c.id, c.request, c.made.Input)
	c.slot.awaitTurn(ctx, true) // what is in the files depends on the calls before it
	if ctx.Err() != nil {
		return nil // it is not approved
	}
	changes, err := proposer.Propose(ctx, files)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil && t.refuses(ctx, c.id, c.request, c.made.Input) {
		return nil // a call that is right would be refused, too
	}
	if err != nil {
		return &ending{outcome: event.Failed, result: tool.Failed(err.Error())}
	}
	c.slot.awaitShown(ctx)
	t.append(event.ChangesProposed{Call: c.id, Changes: changes})
	return nil
}

func (c *pendingCall) approve(ctx context.Context) *ending {
	t := c.t
	a := t.approve(ctx, c.id, c.prepared, c.request, c.made.Input, c.slot)
	a.awaitOthers(ctx)
	if a.by == event.ByInterrupt {
		a.reason = t.withdrawn(ctx)
	}
	if (ctx.Err() != nil || t.s.opts.Budget.Err() != nil) && (a.allowed || !a.together) {
		c.slot.awaitOver()
	}
	if a.allowed {
		c.answer = a
		return nil
	}
	if r, ok := c.prepared.(tool.Refusable); ok && a.outcome() == event.Denied {
		end := &ending{outcome: event.Succeeded, result: r.Refused(a.reason)}
		if end.result.IsError {
			end.outcome = event.Denied
		}
		return end
	}
	return &ending{outcome: a.outcome(), result: tool.Failed(a.reason)}
}

func (c *pendingCall) order(ctx context.Context) *ending {
	c.slot.awaitTurn(ctx, c.effects())
	if ctx.Err() != nil {
		c.slot.awaitOver()
	}
	return nil
}

// start records that the call runs. A call with effects has that on disk first, or does not run.
func (c *pendingCall) start(ctx context.Context) *ending {
	c.hooks = c.toolHooks(c.answer)
	err := c.t.s.mayWork(ctx)
	if err == nil {
		err = c.t.started(ctx, c.id, c.effects(), c.t.confinement(c.request, c.hooks.Sandbox))
	}
	c.slot.show()
	if errors.Is(err, ErrBudget) {
		c.slot.awaitOver()
	}
	if err == nil {
		c.slot.awaitStarts(ctx)
		err = c.awaitStart(ctx)
	}
	return c.notStarted(ctx, err)
}

// notStarted returns the end of a call that err, or the end of ctx, has kept from running; nil: it may run.
func (c *pendingCall) notStarted(ctx context.Context, err error) *ending {
	if end := c.interrupted(ctx); end != nil {
		return end
	}
	if err != nil {
		return &ending{outcome: event.Failed, result: tool.Failed(notRun(err).Error())}
	}
	return nil
}

// awaitStart waits until the start of a call with effects is stored, and the call may begin.
func (c *pendingCall) awaitStart(ctx context.Context) error {
	if !c.effects() {
		return nil
	}
	return c.t.s.mayCall(ctx)
}

// interrupted returns the end of a call that ctx ended before it ran.
func (c *pendingCall) interrupted(ctx context.Context) *ending {
	if ctx.Err() == nil {
		return nil
	}
	return &ending{outcome: event.Interrupted, result: tool.Failed(c.t.withdrawn(ctx)), effects: c.effects()}
}

func (c *pendingCall) run(ctx context.Context) *ending {
	t := c.t
	if err := c.awaitStart(ctx); err != nil { // a plugin may have changed the call
		return c.notStarted(ctx, err)
	}
	var waited atomic.Int64 // for the user, in nanoseconds
	c.hooks.Unconfine = func(ctx context.Context, reason string) (approval.Sandbox, error) {
		begun := time.Now()
		defer func() { waited.Add(int64(time.Since(begun))) }()
		return t.unconfine(ctx, c, reason)
	}
	start := time.Now()
	c.result = c.bound.result(c.made.Input, t.runGuarded(ctx, c.request.Tool, c.prepared, c.hooks))
	c.hooks.Subagents.(*subagents).close()
	c.outcome = event.Succeeded
	switch {
	case c.result.IsError && ctx.Err() != nil:
		c.outcome = event.Interrupted
		if skipped := t.s.opts.Texts[TextSkipped]; context.Cause(ctx) == errSteered && skipped != "" {
			c.result.Text = skipped
		}
	case c.result.IsError:
		c.outcome = event.Failed
	default:
		t.touch(c.request.Paths)
	}
	c.ran = time.Since(start) - time.Duration(waited.Load())
	return nil
}

func (c *pendingCall) postHooks(ctx context.Context) *ending {
	c.result, c.outcome = c.t.runAfterHooks(ctx, c.id, c.result, c.outcome, c.ran)
	return nil
}

// record records the end of a call that has run; plugins may change it.
func (c *pendingCall) record(ctx context.Context) {
	t, s := c.t, c.t.s
	result := t.remarked(c.id, t.saved(c.result))
	s.mu.Lock()
	defer s.mu.Unlock()
	e := t.ended(c.id, c.outcome, c.ran, result)
	if plugins := pluginsOf[CallInterceptor](s); len(plugins) > 0 && c.outcome != event.Interrupted {
		s.mu.Unlock()
		e = c.afterCall(ctx, plugins, e)
		s.mu.Lock()
	}
	t.record(e, c.effects())
}

// started records that a call runs. Nothing is recorded when ctx has ended: no interrupt comes between the
// check and the record. Nor is it when the budget is used up.
func (t *turn) started(ctx context.Context, id event.CallID, effects bool, confined string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	found, err := t.s.opts.Budget.Claim(budget.Use{ToolCalls: 1})
	if err != nil {
		return err
	}
	defer t.s.recordBudget(t.id, found)
	e := event.ToolStarted{Call: id, Confined: confined}
	if effects {
		return t.s.log.Commit(t.id, e)
	}
	t.s.log.Append(t.id, e)
	return nil
}

// confinement returns what confines a command, for the record.
func (t *turn) confinement(req approval.Request, s approval.Sandbox) string {
	if req.Command == "" || !s.Confining() {
		return ""
	}
	return t.env.Spawner.Confinement().Detail
}

// stopLimit is how long an interrupted tool may take to stop before its call is ended without it. Tools
// promise to stop sooner; a turn must end even if one does not.
const stopLimit = 10 * time.Second

// runGuarded runs a call so that neither a panic in it nor a call that does not stop can keep the turn.
func (t *turn) runGuarded(ctx context.Context, name string, call tool.Call, hooks tool.Hooks) tool.Result {
	done := make(chan tool.Result, 1)
	go func() {
		var result tool.Result
		if p := t.s.guard("run", name, func() { result = call.Run(ctx, hooks) }); p != nil {
			result = tool.Failed(fmt.Sprintf("%s failed inside: %v", name, p))
		}
		done <- result
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	timer := time.NewTimer(stopLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r
	case <-timer.C:
		t.s.host.cfg.Log.Error("tool did not stop", "session", t.s.id, "tool", name)
		return tool.Failed("interrupted; the tool did not stop in time")
	}
}

// toolHooks returns what a call that a allows can do besides returning its result.
func (c *pendingCall) toolHooks(a answer) tool.Hooks {
	t, id := c.t, c.id
	return tool.Hooks{
		Call:    id,
		Sandbox: t.sandbox(a),
		Granted: a.granted,
		Output:  func(text string) { t.show(event.ToolOutput{Call: id, Text: text}) },
		Keep:    t.s.log.Keep,

		Files:           t.s.clientFiles(),
		Terminals:       t.terminals(a),
		TerminalCreated: func(terminal string) { t.show(event.TerminalCreated{Call: id, Terminal: terminal}) },
		Progress: func(done, total float64, text string) {
			t.show(event.ToolProgress{Call: id, Done: done, Total: total, Text: text})
		},
		Ask: func(ctx context.Context, questions []event.Question) ([][]string, error) {
			return t.question(ctx, id, questions)
		},
		Permit:    func(ctx context.Context, summary, reason string) error { return t.permit(ctx, id, summary, reason) },
		FindTools: t.findTools,
		Sample: func(ctx context.Context, server string, req *model.Request) (*model.Response, error) {
			return t.sample(ctx, id, server, req)
		},
		Plan:      func(items []event.PlanItem) { t.append(event.PlanUpdated{Items: items}) },
		EditPlan:  func(edit func([]event.PlanPhase) ([]event.PlanPhase, error)) error { return t.s.editPlan(t.id, edit) },
		Subagents: &subagents{t: t, call: id},
		Submit: func(result jsontext.Value) error {
			if t.s.opts.submit == nil {
				return nil
			}
			return t.s.opts.submit(result)
		},
	}
}

// sandbox returns the sandbox of an allowed call. Where nothing can be confined, the call runs without one:
// approval.Containment says when that is allowed.
func (t *turn) sandbox(a answer) approval.Sandbox {
	if a.lifted {
		return approval.Sandbox{Kind: approval.SandboxNone}
	}
	return t.s.sandbox(t.env)
}
