package engine

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A Ruling is the decision of a plugin about a call.
type Ruling struct {
	Refused bool
	Reason  string         // of a refusal, for the model
	Input   jsontext.Value // what the call runs with in place of its own input; nil: its own
}

// NoticeRewritten is the code of the Notice that a call runs with another input than the
// model's; its text has the call and the input.
const NoticeRewritten = "call_rewritten"

// intercept asks the plugins about a call that has begun. One with another input is prepared anew, and hooks,
// rules and the user decide about it anew: nothing runs that was not allowed as it is.
func (c *pendingCall) intercept(ctx context.Context) *ending {
	plugins := pluginsOf[CallInterceptor](c.t.s)
	if len(plugins) == 0 {
		return nil
	}
	effects := c.effects()
	if refused := c.reconsider(ctx, plugins); refused != nil {
		return &ending{outcome: refused.outcome(), result: tool.Failed(refused.reason), effects: effects}
	}
	return c.interrupted(ctx)
}

// reconsider returns why a plugin, or a hook or approval for the input that it has changed, refuses the call;
// nil: it runs, or ctx has ended.
func (c *pendingCall) reconsider(ctx context.Context, plugins []CallInterceptor) *answer {
	t, made := c.t, c.made
	ruling := c.beforeCall(ctx, plugins)
	switch {
	case ctx.Err() != nil:
		return nil
	case ruling.Refused:
		return &answer{by: event.ByPolicy, reason: ruling.Reason}
	case ruling.Input == nil:
		return nil
	}
	made.Input = ruling.Input
	input, denied := t.rerunBeforeHooks(ctx, made)
	switch {
	case ctx.Err() != nil:
		return nil
	case denied != nil:
		return denied
	}
	made.Input = input
	if err := c.prepare(made); err != nil {
		return &answer{by: event.ByFault, reason: err.Error()}
	}
	a := t.approve(ctx, c.id, c.prepared, c.request, c.made.Input, nil)
	if !a.allowed {
		return &a
	}
	c.hooks = c.toolHooks(a) // locks the session
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	err := t.s.log.Commit(t.id, event.Notice{Level: event.Info, Code: NoticeRewritten, Text: fmt.Sprintf("%s runs with %s", c.id, c.made.Input)})
	if err != nil {
		return &answer{by: event.ByFault, reason: notRun(err).Error()}
	}
	return nil
}

// beforeCall asks the plugins about the call, each with the input that those before it want.
func (c *pendingCall) beforeCall(ctx context.Context, plugins []CallInterceptor) (all Ruling) {
	made := c.made
	for _, plugin := range plugins {
		var r Ruling
		if p := c.t.s.guard("ask about", made.Name, func() { r = plugin.BeforeCall(ctx, made) }); p != nil {
			r = Ruling{Refused: true, Reason: fmt.Sprintf("what was asked about the call failed inside: %v", p)}
		}
		if r.Refused || ctx.Err() != nil {
			return r
		}
		if r.Input != nil {
			all.Input, made.Input = r.Input, r.Input
		}
	}
	return all
}

// afterCall returns the end of the call as the plugins want it.
func (c *pendingCall) afterCall(ctx context.Context, plugins []CallInterceptor, e event.ToolEnded) event.ToolEnded {
	for _, plugin := range plugins {
		changed := e
		if p := c.t.s.guard("change the result of", c.made.Name, func() { changed = plugin.AfterCall(ctx, c.made, e) }); p != nil {
			continue
		}
		changed.Call = e.Call
		e = changed
	}
	return e
}
