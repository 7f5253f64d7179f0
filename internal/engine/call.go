package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// stopLimit is how long an interrupted tool may take to stop before its call is ended
// without it. Tools promise to stop sooner; a turn must end even if one does not.
const stopLimit = 10 * time.Second

// runCalls runs the tool calls of one step; no call outlives it.
func (t *turn) runCalls(ctx context.Context, message event.MessageID, calls []model.Call) {
	if t.s.opts.Calls != InSequence {
		t.runTogether(ctx, message, calls)
		return
	}
	for i, call := range calls {
		if ctx.Err() != nil || i > 0 && t.steered() {
			return
		}
		call = t.askBefore(ctx, []model.Call{call})[0]
		t.runCall(ctx, call, t.intend(message, call), places(1, InSequence)[0])
	}
}

// repaired returns the calls with inputs that fit the schemas of their tools, where they can be
// repaired. The answer in the history keeps what the model wrote.
func (t *turn) repaired(calls []model.Call) []model.Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		if bound := t.s.findTool(c.Name); bound != nil {
			calls[i].Input = bound.repair(c.Input)
		}
	}
	return calls
}

// unknownTool is the result of a call of a tool that is not offered.
func (t *turn) unknownTool(name string) error {
	if text := t.s.opts.Texts.UnknownTool; text != "" {
		return fmt.Errorf(text, name)
	}
	var names []string
	for _, info := range t.s.Tools() {
		names = append(names, info.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("unknown tool: %s; there are no tools", name)
	}
	return fmt.Errorf("unknown tool: %s; the tools are: %s", name, strings.Join(names, ", "))
}

// intend records that a call is taken up, and is its tool; nil if there is none of that name.
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

// runCall takes one call from its intent to its end: prepare, approve, run, finish.
func (t *turn) runCall(ctx context.Context, c model.Call, bound *boundTool, p *place) {
	id := event.CallID(c.ID)
	if reason, denied := t.deniedBefore(id); denied {
		p.awaitShown(ctx)
		t.finish(id, event.Denied, 0, tool.Failed(reason), false)
		return
	}
	prepared, err := t.prepare(bound, c)
	var req approval.Request
	if err == nil {
		req = prepared.Request()
		req.Tool = c.Name
		p.classify(req.Level > approval.Read)
		err = t.propose(ctx, id, prepared, req, p)
	}
	p.awaitShown(ctx)
	if err != nil {
		t.finish(id, event.Failed, 0, tool.Failed(err.Error()), false)
		return
	}
	a := t.approve(ctx, id, prepared, req, c.Input, p)
	a.awaitOthers(ctx)
	if a.by == event.ByInterrupt {
		a.reason = t.withdrawn(ctx)
	}
	if (ctx.Err() != nil || t.s.budget.Err() != nil) && (a.allowed || !a.together) {
		p.awaitOver()
	}
	if r, ok := prepared.(tool.Refusable); ok && !a.allowed && a.outcome() == event.Denied {
		t.finish(id, event.Succeeded, 0, r.Refused(a.reason), false)
		return
	}
	if !a.allowed {
		t.finish(id, a.outcome(), 0, tool.Failed(a.reason), false)
		return
	}
	p.awaitTurn(ctx, req.Level > approval.Read)
	if ctx.Err() != nil {
		p.awaitOver()
	}
	t.runPrepared(ctx, c, running{c, bound, prepared, req, t.hooks(id, a)}, p)
}

// running is a call that may run, and what it runs with.
type running struct {
	made  model.Call // with the input that runs
	bound *boundTool
	call  tool.Call
	req   approval.Request
	hooks tool.Hooks
}

// outcome is how a call ends that this answer did not allow.
func (a answer) outcome() event.Outcome {
	switch a.by {
	case event.ByInterrupt:
		return event.Interrupted
	case event.ByFault:
		return event.Failed
	}
	return event.Denied
}

// propose tells what the call would do to files, where the options ask for it. The error
// is a result for the model. What is hidden is not looked at before it is approved.
func (t *turn) propose(ctx context.Context, id event.CallID, call tool.Call, req approval.Request, p *place) error {
	proposer, ok := call.(tool.Proposer)
	if !ok || !t.s.opts.Preview {
		return nil
	}
	for _, path := range req.Paths {
		if t.env.Workspace.Hides(path.Path) {
			return nil
		}
	}
	p.awaitTurn(ctx, true) // what is there then depends on the calls before it
	if ctx.Err() != nil {
		return nil // it is not approved
	}
	changes, err := proposer.Propose()
	if err != nil {
		return err
	}
	p.awaitShown(ctx)
	t.append(event.ChangesProposed{Call: id, Changes: changes})
	return nil
}

func (t *turn) prepare(b *boundTool, c model.Call) (call tool.Call, err error) {
	if b == nil {
		return nil, t.unknownTool(c.Name)
	}
	if t.cutAt > 0 && c.Input.Kind() != '{' {
		return nil, fmt.Errorf("your answer was cut at the limit of %d tokens within this call, so nothing was done: make the call smaller, and write a long file in parts", t.cutAt)
	}
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("prepare", c.Name, p)
			err = fmt.Errorf("%s failed inside: %v", c.Name, p)
		}
	}()
	call, err = b.prepare(t.env, c.Input)
	if unfit, ok := errors.AsType[*unfitError](err); ok && t.s.opts.Texts.Unfit != "" {
		err = fmt.Errorf(t.s.opts.Texts.Unfit, unfit.tool, unfit.problem, abridged(c.Input))
	}
	return call, err
}

// maxRepeated is how much of an input an error repeats, in bytes.
const maxRepeated = 400

// abridged returns an input as an error repeats it: models have it in the history.
func abridged(input []byte) string {
	if len(input) <= maxRepeated {
		return string(input)
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(input[:maxRepeated]), ""), len(input))
}

// runPrepared runs an approved call, unless ctx has ended. A call with effects has its
// ToolStarted on disk first, or does not run.
func (t *turn) runPrepared(ctx context.Context, c model.Call, r running, p *place) {
	id := event.CallID(c.ID)
	effects := r.req.Level > approval.Read
	err := t.started(ctx, id, effects, t.confinement(r.req, r.hooks.Sandbox))
	p.show()
	if errors.Is(err, ErrBudget) {
		p.awaitOver()
	}
	if err == nil {
		p.awaitStarts(ctx)
	}
	if err == nil && t.s.opts.Middleware != nil {
		var refused *answer
		if r, refused = t.reconsider(ctx, c, r); refused != nil {
			t.finish(id, refused.outcome(), 0, tool.Failed(refused.reason), effects)
			return
		}
		effects = r.req.Level > approval.Read
	}
	switch {
	case ctx.Err() != nil:
		t.finish(id, event.Interrupted, 0, tool.Failed(t.withdrawn(ctx)), effects)
		return
	case err != nil:
		t.finish(id, event.Failed, 0, tool.Failed(notRun(err).Error()), false)
		return
	}
	var waited atomic.Int64 // for a person, while it ran
	r.hooks.Unconfine = func(ctx context.Context, reason string) (approval.Sandbox, error) {
		asked := time.Now()
		defer func() { waited.Add(int64(time.Since(asked))) }()
		return t.unconfine(ctx, id, r, reason)
	}
	start := time.Now()
	result := r.bound.result(r.made.Input, t.runGuarded(ctx, r.req.Tool, r.call, r.hooks))
	r.hooks.Subagents.(*subagents).close()
	outcome := event.Succeeded
	switch {
	case result.IsError && ctx.Err() != nil:
		outcome = event.Interrupted
		if context.Cause(ctx) == errSteered {
			result.Text = cmp.Or(t.s.opts.Texts.Skipped, result.Text)
		}
	case result.IsError:
		outcome = event.Failed
	}
	if outcome == event.Succeeded {
		t.touch(r.req.Paths)
	}
	ran := time.Since(start) - time.Duration(waited.Load())
	result, outcome = t.askAfter(ctx, id, result, outcome, ran)
	t.finishRun(ctx, r.made, outcome, ran, result, effects)
}

// notRun is what the model is told of a call that did not begin because of err.
func notRun(err error) error { return fmt.Errorf("not run: %w", err) }

// confinement is what confines a command, for the record.
func (t *turn) confinement(req approval.Request, s approval.Sandbox) string {
	if req.Command == "" || !s.Confining() {
		return ""
	}
	return t.env.Spawner.Confinement().Detail
}

// started records that a call runs. Nothing is recorded when ctx has ended: no interrupt
// comes between the look and the record. Nor is it when the budget is used up.
func (t *turn) started(ctx context.Context, id event.CallID, effects bool, confined string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	found, err := t.s.budget.Claim(budget.Use{ToolCalls: 1})
	if err != nil {
		return err
	}
	defer t.s.tellBudget(t.id, found)
	e := event.ToolStarted{Call: id, Confined: confined}
	if effects {
		return t.s.log.Commit(t.id, e)
	}
	t.s.log.Append(t.id, e)
	return nil
}

// runGuarded runs a call so that neither a panic in it nor a call that does not stop can
// keep the turn.
func (t *turn) runGuarded(ctx context.Context, name string, call tool.Call, hooks tool.Hooks) tool.Result {
	done := make(chan tool.Result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				t.logPanic("run", name, p)
				done <- tool.Failed(fmt.Sprintf("%s failed inside: %v", name, p))
			}
		}()
		done <- call.Run(ctx, hooks)
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

func (t *turn) hooks(id event.CallID, a answer) tool.Hooks {
	return tool.Hooks{
		Call:    id,
		Sandbox: t.sandbox(a),
		Output:  func(text string) { t.show(event.ToolOutput{Call: id, Text: text}) },
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
		HandIn: func(result jsontext.Value) error {
			if t.s.opts.HandIn == nil {
				return nil
			}
			return t.s.opts.HandIn(result)
		},
	}
}

// sandbox is what holds for an allowed call. Where nothing can be confined, what was
// allowed all the same runs as it is: approval.Containment says when.
func (t *turn) sandbox(a answer) approval.Sandbox {
	if a.lifted {
		return approval.Sandbox{Kind: approval.SandboxNone}
	}
	return t.s.sandbox(t.env)
}

// finish records the end of a call.
func (t *turn) finish(id event.CallID, outcome event.Outcome, ran time.Duration, r tool.Result, effects bool) {
	s := t.s
	r = t.remarked(id, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.record(t.ending(id, outcome, ran, r), effects)
}

// finishRun is finish for a call that has run: what stands around it has the last word.
func (t *turn) finishRun(ctx context.Context, c model.Call, outcome event.Outcome, ran time.Duration, r tool.Result, effects bool) {
	s := t.s
	r = t.remarked(event.CallID(c.ID), t.saved(r))
	s.mu.Lock()
	defer s.mu.Unlock()
	e := t.ending(event.CallID(c.ID), outcome, ran, r)
	if m := s.opts.Middleware; m != nil && outcome != event.Interrupted {
		s.mu.Unlock()
		e = t.reviewed(ctx, c, e)
		s.mu.Lock()
	}
	t.record(e, effects)
}

// saved stores the whole output of a call of which r has a part, and says where it is.
func (t *turn) saved(r tool.Result) tool.Result {
	if len(r.Full) == 0 {
		return r
	}
	path, err := t.s.outputs.Save(r.Full)
	if err != nil {
		t.s.host.cfg.Log.Warn("whole output not kept for the model", "session", t.s.id, "error", err)
		return r
	}
	return remark(r, fmt.Sprintf("[the whole output is in %s: read or search that file]", path))
}

// noOutput is what models read as the result of a call that returned nothing: some servers refuse "".
const noOutput = "(no output)"

// ending is the end of a call. It runs under the session's lock.
func (t *turn) ending(id event.CallID, outcome event.Outcome, ran time.Duration, r tool.Result) event.ToolEnded {
	s := t.s
	e := event.ToolEnded{
		Call: id, Outcome: outcome, Output: strings.ToValidUTF8(r.Text, "\uFFFD"), Ran: event.Duration(ran),
		Images: s.log.StoreImages(r.Images), Changes: r.Changes, Shell: r.Shell, Fetch: r.Fetch, Search: r.Search,
		Tasks: r.Tasks, Folder: r.Folder, Matches: r.Matches,
	}
	t.final = t.final || r.Final
	if r.Reply != nil {
		e.Reply = &event.Reply{Content: r.Reply}
	}
	if e.Shell != nil {
		shell := *e.Shell
		shell.FullBlob = s.log.StoreOutput(r.Full)
		e.Shell = &shell
	}
	if e.Output == "" && len(e.Images) == 0 {
		e.Output = noOutput
		if e.Shell != nil {
			e.Shell.Note = noOutput // the command did not write it
		}
	}
	return e
}

// record records the end of a call. It runs under the session's lock. What the model is asked
// next is prepared while what has had effects goes to the disk.
func (t *turn) record(e event.ToolEnded, effects bool) {
	if effects && t.s.log.CommitAhead(t.id, e) == nil {
		return
	}
	t.s.log.Append(t.id, e) // if the journal fails it waits in memory
}

func (t *turn) logPanic(doing, name string, p any) {
	t.s.host.cfg.Log.Error("panic in tool", "doing", doing, "tool", name, "panic", p, "stack", string(debug.Stack()))
}
