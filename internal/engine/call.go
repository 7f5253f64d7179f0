package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// stopLimit is how long an interrupted tool may take to stop before its call is ended
// without it. Tools promise to stop sooner; a turn must end even if one does not.
const stopLimit = 10 * time.Second

// runCalls runs the tool calls of one step; no call outlives it.
func (t *turn) runCalls(ctx context.Context, message event.MessageID, calls []model.Call) {
	if t.s.opts.Calls == SideBySide {
		var wg sync.WaitGroup
		for _, call := range calls {
			wg.Go(func() { t.runCall(ctx, message, call) })
		}
		wg.Wait()
		return
	}
	for i, call := range calls {
		if ctx.Err() != nil || i > 0 && t.s.opts.SteerAt == SteerAfterCall && t.steered() {
			return
		}
		t.runCall(ctx, message, call)
	}
}

// runCall takes one call from its intent to its end: prepare, approve, run, finish.
func (t *turn) runCall(ctx context.Context, message event.MessageID, c model.Call) {
	id := event.CallID(c.ID)
	bound, known := t.s.tools.find(c.Name, t.s.State().Settings.ToolGroups)
	intended := event.ToolIntended{Call: id, Message: message, Name: c.Name, Input: c.Input}
	if known {
		intended.Tool = bound.Tool
	}
	t.append(intended)
	if !known {
		t.finish(id, event.Failed, 0, tool.Failed(fmt.Sprintf(t.s.opts.Texts.UnknownTool, c.Name)), false)
		return
	}
	prepared, err := t.prepare(bound, c)
	if err != nil {
		t.finish(id, event.Failed, 0, tool.Failed(err.Error()), false)
		return
	}
	req := prepared.Request()
	req.Tool = c.Name
	if a := t.approve(ctx, id, req, c.Input); !a.allowed {
		outcome := event.Denied
		if a.by == event.ByInterrupt {
			outcome = event.Interrupted
		}
		t.finish(id, outcome, 0, tool.Failed(a.reason), false)
		return
	}
	t.runPrepared(ctx, id, req, prepared)
}

func (t *turn) prepare(b *boundTool, c model.Call) (call tool.Call, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("prepare", c.Name, p)
			err = fmt.Errorf("%s failed inside: %v", c.Name, p)
		}
	}()
	return b.prepare(t.s.env, c.Input)
}

// runPrepared runs an approved call. A call with effects has its ToolStarted on disk first,
// or does not run.
func (t *turn) runPrepared(ctx context.Context, id event.CallID, req approval.Request, call tool.Call) {
	effects := req.Level > approval.Read
	if err := t.started(id, effects); err != nil {
		t.finish(id, event.Failed, 0, tool.Failed("not run: "+err.Error()), false)
		return
	}
	start := time.Now()
	result := t.runGuarded(ctx, id, req.Tool, call)
	outcome := event.Succeeded
	switch {
	case result.IsError && ctx.Err() != nil:
		outcome = event.Interrupted
	case result.IsError:
		outcome = event.Failed
	}
	t.finish(id, outcome, time.Since(start), result, effects)
}

func (t *turn) started(id event.CallID, effects bool) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	e := event.ToolStarted{Call: id}
	if effects {
		return t.s.commit(t.id, e)
	}
	t.s.append(t.id, e)
	return nil
}

// runGuarded runs a call so that neither a panic in it nor a call that does not stop can
// keep the turn.
func (t *turn) runGuarded(ctx context.Context, id event.CallID, name string, call tool.Call) tool.Result {
	done := make(chan tool.Result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				t.logPanic("run", name, p)
				done <- tool.Failed(fmt.Sprintf("%s failed inside: %v", name, p))
			}
		}()
		done <- call.Run(ctx, t.hooks(id))
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

func (t *turn) hooks(id event.CallID) tool.Hooks {
	return tool.Hooks{
		Output: func(text string) { t.show(event.ToolOutput{Call: id, Text: text}) },
		Ask: func(ctx context.Context, questions []event.Question) ([][]string, error) {
			return t.question(ctx, id, questions)
		},
		Plan: func(items []event.PlanItem) { t.append(event.PlanUpdated{Items: items}) },
	}
}

// finish records the end of a call.
func (t *turn) finish(id event.CallID, outcome event.Outcome, ran time.Duration, r tool.Result, effects bool) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	e := event.ToolEnded{
		Call: id, Outcome: outcome, Output: strings.ToValidUTF8(r.Text, "\uFFFD"), Ran: event.Duration(ran),
		Images: s.keepImages(r.Images), Changes: r.Changes, Shell: r.Shell, Fetch: r.Fetch,
	}
	if e.Shell != nil {
		shell := *e.Shell
		shell.FullBlob = s.keepFull(r.Full)
		e.Shell = &shell
	}
	if effects {
		s.settle(t.id, e)
	} else {
		s.append(t.id, e)
	}
}

func (t *turn) logPanic(doing, name string, p any) {
	t.s.host.cfg.Log.Error("panic in tool", "doing", doing, "tool", name, "panic", p, "stack", string(debug.Stack()))
}
