package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

const (
	// NoticeUnasked is the code of the Notice that an agent has run a tool without asking.
	NoticeUnasked = "backend_unasked"
	// NoticeStray is the code of the Notice that an agent has reported something about a call that it has not begun.
	NoticeStray = "backend_stray"
)

// call records a call that the agent begins.
func (d *delegation) call(u backend.Call) {
	if d.calls[u.ID] != nil || d.reason != "" {
		d.stray("call " + u.ID)
		return
	}
	t := d.t
	t.s.mu.Lock()
	id := t.s.fold.NewCall(event.CallID(u.ID))
	t.s.mu.Unlock()
	c := &delegatedCall{id: id, begun: time.Now()}
	u.Edits = d.creations(c, u.Edits)
	c.reportedCall, c.made = t.reported(u), u
	c.request = d.requestOf(u, c.name)
	c.preHooks = sync.OnceValue(func() string { return d.runPreHooks(c) })
	d.calls[u.ID] = c
	d.order = append(d.order, c)
	d.begin("")
	message := d.id
	d.endMessage(&model.Call{ID: string(id), Name: c.name, Input: c.input}, backend.MessageEnd{})
	t.append(event.ToolIntended{Call: id, Message: message, Name: c.name, Tool: c.tool, Server: u.Server, Input: c.input})
	if len(u.Edits) > 0 {
		d.propose(c, d.changes(u.Edits))
	} else {
		d.propose(c, d.proposed(c))
	}
	t.showStatus(event.Working)
}

// proposed returns what the tool of ours that does the same would change; nil: nothing, or it is not known.
func (d *delegation) proposed(c *delegatedCall) []event.FileChange {
	if c.tool == "" || c.request.Level <= approval.Read || d.t.hides(c.request) {
		return nil
	}
	found, ok := d.t.s.host.cfg.Tools(c.known)
	if !ok {
		return nil
	}
	prepared, err := found.Prepare(d.t.env, c.own)
	proposer, ok := prepared.(tool.Proposer)
	if err != nil || !ok {
		return nil
	}
	changes, err := proposer.Propose(d.ctx, d.t.s.clientFiles())
	if err != nil {
		return nil // the agent has done it already, or means another text
	}
	return changes
}

// propose records what a call would change. Clients without a form for that see it with the approval.
func (d *delegation) propose(c *delegatedCall, changes []event.FileChange) {
	if len(changes) == 0 {
		return
	}
	c.mu.Lock()
	c.changes = changes
	c.mu.Unlock()
	if d.t.s.opts.Preview {
		d.t.append(event.ChangesProposed{Call: c.id, Changes: changes})
	}
}

// A proposedCall is what is known of a call of an agent before it is approved. It does not run.
type proposedCall struct{ *delegatedCall }

func (c proposedCall) Request() approval.Request { return c.request }

func (c proposedCall) Run(context.Context, tool.Hooks) tool.Result {
	return tool.Failed("the agent runs this call")
}

// Preview implements tool.Previewer.
func (c proposedCall) Preview(context.Context, tool.ClientFiles) (effects []approval.FileEffect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range c.changes {
		effects = append(effects, tool.EffectOf(change))
	}
	return effects
}

// requestOf returns what a call needs. A path that cannot be resolved is one outside of the workspace.
func (d *delegation) requestOf(u backend.Call, name string) approval.Request {
	w := d.t.env.Workspace
	r := approval.Request{Tool: name, Level: u.Level, Command: u.Command, Dir: u.Dir, URL: u.URL, Summary: u.Summary, Server: u.Server, AsShell: u.Command != "", Unconfined: u.Unconfined, Workspace: w.Dir()}
	if r.Command != "" {
		r.Dir = cmp.Or(r.Dir, w.Dir())
	}
	for _, path := range u.Paths {
		p, err := w.Resolve(path, u.Level > approval.Read)
		if err != nil {
			p = approval.Path{Path: path, Shown: path, Write: u.Level > approval.Read, Outside: true}
		}
		r.Paths = append(r.Paths, p)
	}
	return r
}

// output shows more of what a call writes.
func (d *delegation) output(u backend.Output) {
	c := d.calls[u.Call]
	if c == nil {
		d.stray("output of call " + u.Call)
		return
	}
	if !c.hasEnded() && d.start(c) {
		d.t.show(event.ToolOutput{Call: c.id, Text: u.Text})
	}
}

// start records that a call runs, unless that is recorded already. An agent that runs something that it had to ask about, or that a
// hook or plugin is against, is stopped. It reports whether the call may go on.
func (d *delegation) start(c *delegatedCall) bool {
	if c.hasStarted() {
		return true
	}
	if reason := c.preHooks(); reason != "" {
		d.stop(c, "which is denied: "+reason)
		return false
	}
	begins, err := d.startUnasked(c)
	switch {
	case err != nil:
		d.failure = err
		return false
	case d.failure != nil:
		return false
	case !begins:
		return true // an approval has come meanwhile
	}
	if reason := d.intercept(c); reason != "" {
		d.stop(c, "which is refused: "+reason)
		return false
	}
	return true
}

// startUnasked records that a call runs about which the agent has not asked, or has no answer yet. It reports whether it was not
// recorded already.
func (d *delegation) startUnasked(c *delegatedCall) (begins bool, err error) {
	t := d.t
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started || c.ended {
		return false, nil
	}
	if c.request.Level > approval.Read {
		confined, trusted := c.request.Command != "" && t.env.Confines(), t.env.TrustsCommand(c.request.Command)
		request := c.request
		request.Unconfined = false // only what was asked for leaves the sandbox
		t.s.mu.Lock()
		decision := t.permitted(c.id, t.decide(request, confined, trusted))
		if t.s.opts.restricted && c.foreign() {
			decision = approval.Decision{Verdict: approval.Deny}
		}
		t.s.mu.Unlock()
		if decision.Verdict == approval.Deny || decision.Verdict == approval.Ask && !d.agent.Info().OwnRules {
			d.stop(c, `which needs an approval (set "approvals": "agent" for the back end to have its own rules decide)`)
			return false, nil
		}
		d.note(event.Warning, NoticeUnasked, fmt.Sprintf("%s runs %s without asking.", d.agent.name, c.name))
	}
	if err := t.started(d.ctx, c.id, c.request.Level > approval.Read, ""); err != nil {
		return false, err
	}
	c.started = true
	return true, nil
}

// ask decides about a call for which the agent waits: by hooks, by the rules, or by the user, who may take hours. The agent goes on
// with other calls meanwhile.
func (d *delegation) ask(u backend.Ask) {
	c := d.calls[u.Call]
	if c == nil || c.hasEnded() || d.reason != "" {
		d.stray("request for call " + u.Call)
		u.Answer(backend.Verdict{Cancel: true})
		return
	}
	d.propose(c, d.changes(d.creations(c, u.Edits)))
	ctx, withdraw := context.WithCancelCause(d.ctx)
	c.mu.Lock()
	c.withdraw = withdraw
	c.mu.Unlock()
	d.asks.Go(func() {
		defer withdraw(nil)
		a := d.decide(ctx, c)
		if a.allowed {
			a = d.startAllowed(c, a)
		}
		v := backend.Verdict{Allow: a.allowed, Reason: a.reason, Cancel: a.by == event.ByInterrupt || ctx.Err() != nil}
		if !v.Allow && d.t.s.opts.Budget.Err() != nil {
			d.unpaid.Store(true)
		}
		if !v.Allow { // before the agent reports it as a failure
			d.refuse(c, event.ToolEnded{Call: c.id, Outcome: a.outcome(), Output: cmp.Or(a.reason, noOutput)})
		}
		u.Answer(v)
	})
}

// decide returns the decision about a call for which the agent waits.
func (d *delegation) decide(ctx context.Context, c *delegatedCall) answer {
	if reason := c.preHooks(); reason != "" {
		return answer{by: event.ByPolicy, reason: reason}
	}
	if d.t.s.opts.restricted && c.foreign() && c.request.Level > approval.Read {
		return answer{by: event.ByPolicy, reason: "this subagent may not use " + c.name}
	}
	return d.t.approve(ctx, c.id, proposedCall{c}, c.request, c.input, nil)
}

// startAllowed records that an allowed call runs, and returns a, or what is against it after all.
func (d *delegation) startAllowed(c *delegatedCall, a answer) answer {
	c.mu.Lock()
	if !c.started && !c.ended {
		if err := d.t.started(d.ctx, c.id, c.request.Level > approval.Read, ""); err != nil {
			c.mu.Unlock()
			by := event.ByFault
			if d.ctx.Err() != nil {
				by = event.ByInterrupt
			}
			return answer{by: by, reason: notRun(err).Error()}
		}
		c.started, c.begun = true, time.Now()
	}
	c.mu.Unlock()
	if reason := d.intercept(c); reason != "" {
		return answer{by: event.ByPolicy, reason: reason}
	}
	return a
}

// endCall records the end of a call. Of one that was denied the end is recorded already.
func (d *delegation) endCall(u backend.CallEnd) {
	c := d.calls[u.Call]
	switch {
	case c == nil:
		d.stray("end of call " + u.Call)
	case c.hasEnded():
	case u.NotRun:
		d.refuse(c, event.ToolEnded{Call: c.id, Outcome: u.Outcome, Output: cmp.Or(u.Text, noOutput)})
	case d.start(c):
		d.finish(c, d.runPostHooks(c, d.endOf(c, u)))
	}
}

// endOf returns the end of a call that the agent reports.
func (d *delegation) endOf(c *delegatedCall, u backend.CallEnd) event.ToolEnded {
	e := event.ToolEnded{
		Call: c.id, Outcome: u.Outcome, Output: cmp.Or(u.Text, noOutput), Shell: u.Shell, Changes: d.changes(d.creations(c, u.Edits)),
	}
	c.mu.Lock()
	e.Ran = event.Duration(time.Since(c.begun))
	if e.Changes == nil && u.Outcome == event.Succeeded {
		e.Changes = c.changes
	}
	c.mu.Unlock()
	if c.made.Server != "" {
		e.Reply = &event.Reply{Content: replyOf(u.Text, u.Outcome != event.Succeeded)}
	}
	return e
}

// replyOf returns a text as the result object of a tool server.
func replyOf(text string, failed bool) jsontext.Value {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return jsonOf(struct {
		Content []content `json:"content"`
		IsError bool      `json:"isError,omitzero"`
	}{[]content{{"text", text}}, failed})
}

// refuse records the end of a call that has not run, unless it has ended. A request for permission is withdrawn.
func (d *delegation) refuse(c *delegatedCall, e event.ToolEnded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		d.record(c, e)
	}
	if c.withdraw != nil {
		c.withdraw(errAgentEnded)
	}
}

// finish records the end of a call, unless it has ended. One that has not started was interrupted.
func (d *delegation) finish(c *delegatedCall, e event.ToolEnded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if !c.started {
		e.Outcome, e.Ran, e.Shell, e.Changes = event.Interrupted, 0, nil, nil
	}
	d.record(c, e)
}

// record records the end of a call. The caller holds its lock.
func (d *delegation) record(c *delegatedCall, e event.ToolEnded) {
	c.ended = true
	d.t.s.mu.Lock()
	defer d.t.s.mu.Unlock()
	d.t.record(e, c.request.Level > approval.Read)
}

// creations returns the edits of a call, with those of a file that did not exist before the call as creations: agents report an empty
// text for it.
func (d *delegation) creations(c *delegatedCall, edits []backend.Edit) []backend.Edit {
	edits = slices.Clone(edits)
	for i, e := range edits {
		if e.Before == nil || *e.Before != "" || e.Deleted || e.Diff != "" {
			continue
		}
		path := e.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.t.env.Workspace.Dir(), path)
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !c.hasStarted() {
			if c.created == nil {
				c.created = map[string]bool{}
			}
			c.created[path] = true
		}
		if c.created[path] {
			edits[i].Before = nil
		}
	}
	return edits
}

// changes returns what the edits of a call changed.
func (d *delegation) changes(edits []backend.Edit) []event.FileChange {
	var all []event.FileChange
	for _, e := range edits {
		w := d.t.env.Workspace
		switch {
		case e.Diff != "":
			all = append(all, tool.ReportedDiff(w, e.Path, e.Diff))
		case e.Deleted:
			all = append(all, tool.ReportedDeletion(w, e.Path, e.Before))
		default:
			all = append(all, tool.ReportedChange(w, e.Path, e.Before, e.After))
		}
	}
	return tool.CutDiffs(all)
}
