package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// This file contains what hooks and plugins have to say about calls of an agent. They can deny a call for which the agent waits, and
// stop an agent that does not wait. They cannot change an input: the agent runs what it has.

// NoticeRemark is the code of the Notice that hooks have added something for the model to a result, which the agent cannot receive.
const NoticeRemark = "backend_remark"

// runPreHooks runs the hooks before a call, and returns why it may not run; "": it may.
func (d *delegation) runPreHooks(c *delegatedCall) (reason string) {
	t := d.t
	if !t.hasHooks(event.BeforeTool) && !t.hasHooks(event.AfterTool) && !t.hasHooks(event.AtPermission) {
		return ""
	}
	hooked := &hookedCall{call: hook.Call{
		ID: c.id, Tool: c.known, Shown: c.name, Server: c.made.Server, Input: c.input, OwnInput: c.own, Fit: d.fitOf(c),
		Written: func(jsontext.Value) []string { return c.written() },
	}}
	if hooked.call.Tool == "" {
		hooked.call.Tool = c.name
	}
	t.runBeforeHook(d.ctx, hooked)
	t.recordRuling(hooked.before)
	hooked.call.Input, hooked.call.OwnInput = c.input, c.own
	t.hooked.add(hooked)
	switch before := hooked.before; {
	case before.Denied:
		return before.Reason
	case before.Input != nil && !sameJSON(before.Input, c.input):
		return fmt.Sprintf("a hook wants this call with another input, which %s cannot be given: make the call with the input %s", d.agent.name, before.Input)
	}
	return ""
}

// fitOf returns what reads an input of a call that a hook wants. It accepts what the tool would accept.
func (d *delegation) fitOf(c *delegatedCall) func(jsontext.Value) (jsontext.Value, error) {
	if b := d.t.s.findTool(c.name); b != nil && c.tool != "" && c.made.Server == "" {
		return b.own
	}
	return func(input jsontext.Value) (jsontext.Value, error) { return input, nil }
}

// sameJSON reports whether two values are the same, however they are written.
func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

// written returns the files that a call would change.
func (c *delegatedCall) written() (paths []string) {
	for _, p := range c.request.Paths {
		if p.Write {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

// runPostHooks returns the end of a call as hooks and plugins want it. What they add reaches clients, and an agent that receives the
// conversation as text.
func (d *delegation) runPostHooks(c *delegatedCall, e event.ToolEnded) event.ToolEnded {
	t := d.t
	r := tool.Result{Text: e.Output, IsError: e.Outcome != event.Succeeded, Changes: e.Changes, Shell: e.Shell}
	r, e.Outcome = t.runAfterHooks(d.ctx, c.id, r, e.Outcome, time.Duration(e.Ran))
	if r = t.remarked(c.id, r); r.Text != e.Output {
		d.note(event.Info, NoticeRemark, fmt.Sprintf("A hook has added something for the model to the result of %s, which %s does not receive.", c.name, d.agent.name))
	}
	e.Output, e.Shell = strings.ToValidUTF8(r.Text, "\uFFFD"), r.Shell
	if plugins := pluginsOf[CallInterceptor](t.s); len(plugins) > 0 && e.Outcome != event.Interrupted {
		e = d.pending(c).afterCall(d.ctx, plugins, e)
	}
	return e
}

// intercept returns why a plugin refuses a call that is recorded as started; "": none does.
func (d *delegation) intercept(c *delegatedCall) (reason string) {
	plugins := pluginsOf[CallInterceptor](d.t.s)
	if len(plugins) == 0 {
		return ""
	}
	switch r := d.pending(c).beforeCall(d.ctx, plugins); {
	case d.ctx.Err() != nil:
		return ""
	case r.Refused:
		return r.Reason
	case r.Input != nil && !sameJSON(r.Input, c.input):
		return fmt.Sprintf("this call has to run with another input, which %s cannot be given: make the call with the input %s", d.agent.name, r.Input)
	}
	return ""
}

// pending returns a call as plugins are called about it.
func (d *delegation) pending(c *delegatedCall) *pendingCall {
	return &pendingCall{t: d.t, id: c.id, made: model.Call{ID: string(c.id), Name: c.name, Input: c.input}}
}

// stop ends an agent that has run a call which it may not.
func (d *delegation) stop(c *delegatedCall, why string) {
	d.failure = &backend.Error{
		Backend: d.agent.name, Code: backend.CodeRefused, Message: fmt.Sprintf("it runs %s without asking, %s; it was stopped", c.name, why),
	}
	d.agent.Close()
}
