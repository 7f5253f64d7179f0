package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// Hooks run at certain moments of a turn: in this program, commands of the user.
type Hooks interface {
	// Has reports whether there are hooks of a moment for sessions that work in dir.
	Has(m event.HookMoment, dir string) bool
	// Run runs them, and returns soon after ctx has ended.
	Run(context.Context, hook.Report) hook.Ruling
}

// errFinal interrupts an agent when a hook has ended its turn.
var errFinal = errors.New("a hook has ended the turn")

// continueLimit is how often hooks can make a turn go on after one prompt.
const continueLimit = 3

// A hookedCall is what hooks know of a call, and what they decided before it.
type hookedCall struct {
	call   hook.Call
	before hook.Ruling
}

// hookedCalls are the calls that have hooks.
type hookedCalls struct {
	mu   lock.Mutex
	byID map[event.CallID]*hookedCall
}

// reset replaces all of them.
func (h *hookedCalls) reset(byID map[event.CallID]*hookedCall) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byID = byID
}

// add adds one, of an agent: its calls come one by one.
func (h *hookedCalls) add(c *hookedCall) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byID == nil {
		h.byID = map[event.CallID]*hookedCall{}
	}
	h.byID[c.call.ID] = c
}

// get returns a call; nil: it has no hooks.
func (h *hookedCalls) get(id event.CallID) *hookedCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byID[id]
}

func (t *turn) hasHooks(m event.HookMoment) bool {
	return t.s.hasHooks(m, t.env.Workspace.Dir())
}

func (t *turn) report(m event.HookMoment) hook.Report {
	return t.s.hookReport(m, t.id, t.env.Workspace.Dir())
}

func (t *turn) runHooks(ctx context.Context, r hook.Report) hook.Ruling { return t.s.runHooks(ctx, r) }

// recordRuling records what hooks decided, and how they failed.
func (t *turn) recordRuling(r hook.Ruling) {
	t.s.recordRuling(t.id, r)
	if r.Stop {
		t.s.mu.Lock()
		t.final = true
		if t.halt != nil {
			t.halt(errFinal)
		}
		t.s.mu.Unlock()
	}
}

func (s *Session) recordRuling(turn event.TurnID, r hook.Ruling) {
	var events []event.Event
	for _, failed := range r.Failed {
		events = append(events, event.Notice{Level: event.Warning, Code: NoticeHookFailed, Text: failed})
	}
	for _, text := range r.Messages {
		events = append(events, event.Notice{Level: event.Info, Code: NoticeHookMessage, Text: text})
	}
	for _, ran := range r.Ran {
		events = append(events, ran)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Append(turn, events...)
}

// runBeforeHooks runs the hooks of the calls that run next, of all at once, and returns the calls with
// the inputs that hooks want instead. It comes before anything of the calls is recorded: what
// the user is shown, and approves, is what runs. An input that does not fit its tool fails by
// itself; its hooks do not run.
func (t *turn) runBeforeHooks(ctx context.Context, calls []model.Call) []model.Call {
	t.hooked.reset(nil)
	if !t.hasHooks(event.BeforeTool) && !t.hasHooks(event.AfterTool) && !t.hasHooks(event.AtPermission) {
		return calls
	}
	all := make([]*hookedCall, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		if all[i] = t.hookedCallOf(c); all[i] != nil {
			wg.Go(func() { t.runBeforeHook(ctx, all[i]) })
		}
	}
	wg.Wait()
	calls = slices.Clone(calls)
	hooked := map[event.CallID]*hookedCall{}
	for i, a := range all {
		if a == nil {
			continue
		}
		calls[i].Input = a.call.Input
		hooked[a.call.ID] = a
		t.recordRuling(a.before)
	}
	t.hooked.reset(hooked)
	return calls
}

// hookedCallOf returns what hooks know of a call; nil: the call fails by itself.
func (t *turn) hookedCallOf(c model.Call) *hookedCall {
	bound := t.s.findTool(c.Name)
	if bound == nil {
		return nil
	}
	own, err := bound.own(c.Input)
	if err != nil {
		return nil
	}
	server, _ := bound.origin()
	return &hookedCall{call: hook.Call{
		ID: event.CallID(c.ID), Tool: bound.tool.Name(), Shown: c.Name, Server: server, Input: c.Input, OwnInput: own, Fit: bound.own,
		Written: func(input jsontext.Value) []string { return t.written(bound, c, input) },
	}}
}

// written returns the files that a call would change with an input, as far as that is known
// before it runs.
func (t *turn) written(bound *boundTool, c model.Call, input jsontext.Value) (paths []string) {
	c.Input = input
	prepared, err := t.prepare(bound, c)
	if err != nil {
		return nil // it fails by itself
	}
	for _, path := range prepared.Request().Paths {
		if path.Write {
			paths = append(paths, path.Path)
		}
	}
	return paths
}

// runBeforeHook runs the hooks before a call, which then has the input that they want.
func (t *turn) runBeforeHook(ctx context.Context, a *hookedCall) {
	if !t.hasHooks(event.BeforeTool) {
		return
	}
	r := t.report(event.BeforeTool)
	call := a.call
	r.Call = &call
	a.before = t.runHooks(ctx, r)
	if a.before.Input != nil {
		a.call.Input = a.before.Input
		a.call.OwnInput, _ = a.call.Fit(a.before.Input)
	}
}

// rerunBeforeHooks runs the hooks before a call again whose input was changed after they ran, and
// returns the input that they leave. What they said about the first one precedes what they
// say now. It is called in the goroutine of the call: nothing else uses its hookedCall.
func (t *turn) rerunBeforeHooks(ctx context.Context, c model.Call) (input jsontext.Value, denied *answer) {
	a, again := t.hooked.get(event.CallID(c.ID)), t.hookedCallOf(c)
	if a == nil || again == nil {
		return c.Input, nil // there are no hooks, or it fails by itself
	}
	t.runBeforeHook(ctx, again)
	t.recordRuling(again.before)
	said := a.before.Context
	*a = *again
	a.before.Context = hook.Join(said, again.before.Context)
	if a.before.Denied {
		return nil, &answer{by: event.ByPolicy, reason: a.before.Reason}
	}
	return a.call.Input, nil
}

// deniedBefore reports whether a hook has denied a call, and returns the text for the model.
func (t *turn) deniedBefore(id event.CallID) (reason string, denied bool) {
	a := t.hooked.get(id)
	if a == nil || !a.before.Denied {
		return "", false
	}
	return a.before.Reason, true
}

// runAfterHooks runs the hooks after a call. A denial makes a success a failure; the output of
// the call stays.
func (t *turn) runAfterHooks(ctx context.Context, id event.CallID, r tool.Result, outcome event.Outcome, ran time.Duration) (tool.Result, event.Outcome) {
	a := t.hooked.get(id)
	if a == nil || outcome == event.Interrupted || ctx.Err() != nil || !t.hasHooks(event.AfterTool) {
		return r, outcome
	}
	report := t.report(event.AfterTool)
	report.Call = &a.call
	report.Result = &hook.Result{
		Outcome: outcome, Output: strings.ToValidUTF8(r.Text, "\uFFFD"), Changes: r.Changes, RanMS: ran.Milliseconds(),
	}
	if r.Shell != nil {
		report.Result.ExitCode = &r.Shell.ExitCode
	}
	after := t.runHooks(ctx, report)
	t.recordRuling(after)
	r, a.before.Context = remark(r, a.before.Context), "" // what was said first stands first
	if after.Denied {
		r.IsError, outcome = true, event.Failed
		r = remark(r, after.Reason)
	}
	return remark(r, after.Context), outcome
}

// remarked returns the result of a call with what hooks had to say before it ran.
func (t *turn) remarked(id event.CallID, r tool.Result) tool.Result {
	if a := t.hooked.get(id); a != nil {
		return remark(r, a.before.Context)
	}
	return r
}

// remark adds to what the model sees. No command wrote it: it is part of a command's Note.
func remark(r tool.Result, text string) tool.Result {
	if text == "" {
		return r
	}
	joined := hook.Join(r.Text, text)
	if r.Shell != nil {
		shell := *r.Shell
		shell.Note += joined[len(r.Text):]
		r.Shell = &shell
	}
	r.Text = joined
	return r
}

// maxSent is how long what came with a prompt may be to be part of a report, in bytes: pictures
// are not.
const maxSent = 64 << 10

// runPromptHooks runs the hooks of the prompt of the turn. A refusal is how the turn fails; the
// model never sees the prompt.
func (t *turn) runPromptHooks(ctx context.Context) *event.Failure {
	if !t.hasHooks(event.AtPrompt) {
		return nil
	}
	report := t.report(event.AtPrompt)
	report.Prompt = t.prompt
	if len(t.sent) <= maxSent {
		report.Sent = t.sent
	}
	ruling := t.runHooks(ctx, report)
	t.recordRuling(ruling)
	if ruling.Denied {
		t.forget = true
		return &event.Failure{Kind: FailHook, Message: ruling.Reason}
	}
	if ruling.Context != "" {
		t.addContext(ruling.Context)
	}
	return nil
}

// runEndHooks runs the hooks of the end of the turn, and reports whether it goes on: as one of them
// wants, or with what the user said meanwhile. One that failed, was refused, or has used up its
// steps ends all the same.
func (t *turn) runEndHooks(ctx context.Context, reason event.TurnReason) bool {
	report := t.report(event.AtTurnEnd)
	t.s.mu.Lock()
	open := t.s.fold.Open
	report.End = &hook.End{
		Reason: reason, Usage: open.Usage, Cost: open.Cost, Steps: open.Steps, Continued: t.prolonged, Answer: t.s.fold.LastAnswerText(),
	}
	t.s.mu.Unlock()
	ruling := t.runHooks(ctx, report)
	able := reason == event.TurnCompleted || reason == event.TurnMaxTokens
	if ruling.Denied && (!able || t.prolonged == continueLimit) {
		ruling.Denied = false
		ruling.Failed = append(ruling.Failed, notProlonged(ruling.Ran, able))
		ruling.Ran = nil
	}
	t.recordRuling(ruling)
	if ctx.Err() != nil || !able || ruling.Stop {
		return false
	}
	if ruling.Denied {
		t.prolonged++
		t.addContext(ruling.Context)
		return true
	}
	return t.deliver(true)
}

// notProlonged returns why a turn ends although a hook wanted it to go on.
func notProlonged(ran []event.HookRan, able bool) string {
	name := ran[len(ran)-1].Hook
	if !able {
		return fmt.Sprintf("The hook %q wanted the turn to go on, which it cannot.", name)
	}
	return fmt.Sprintf("The hook %q wanted the turn to go on once more; it did so %d times, and ends now.", name, continueLimit)
}

// addContext adds text of hooks for the model to the history.
func (t *turn) addContext(text string) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.log.Append(t.id, event.UserMessage{ID: t.s.newPromptID(), Via: event.ByEngine, Blocks: []model.Block{model.TextBlock(text)}})
}

// runPermissionHooks runs the hooks of a call that needs the approval of the user. Decided reports
// whether they have answered for the user.
func (t *turn) runPermissionHooks(ctx context.Context, id event.CallID) (a answer, decided bool) {
	asked := t.hooked.get(id)
	if asked == nil || !t.hasHooks(event.AtPermission) {
		return answer{}, false
	}
	report := t.report(event.AtPermission)
	report.Call = &asked.call
	ruling := t.runHooks(ctx, report)
	t.recordRuling(ruling)
	switch {
	case ctx.Err() != nil:
		return answer{}, false
	case ruling.Denied:
		return answer{reason: ruling.Reason, by: event.ByPolicy}, true
	case ruling.Permission == hook.PermissionAllow:
		return answer{allowed: true, lifted: true, by: event.ByPolicy}, true
	}
	return answer{}, false
}

// permitted returns a decision as the hooks before the call want it. They can neither allow what
// is denied nor end the confinement of a command.
func (t *turn) permitted(id event.CallID, d approval.Decision) approval.Decision {
	asked := t.hooked.get(id)
	if asked == nil || d.Verdict == approval.Deny {
		return d
	}
	switch asked.before.Permission {
	case hook.PermissionAllow:
		if d.Verdict == approval.Ask {
			return approval.Decision{Verdict: approval.Allow}
		}
	case hook.PermissionAsk:
		if d.Verdict == approval.Allow {
			wanted := approval.Decision{Verdict: approval.Ask, Reason: asked.before.Reason}
			return wanted.Refuse([]approval.Subject{approval.SubjectHook}, t.s.fold.State.Settings.RefusedApprovals)
		}
	}
	return d
}
