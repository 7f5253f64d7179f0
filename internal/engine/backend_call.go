package engine

import (
	"cmp"
	"fmt"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A delegatedCall is a call of a tool that an agent runs.
type delegatedCall struct {
	id      event.CallID
	made    backend.Call
	request approval.Request
	begun   time.Time

	mu      lock.Mutex // guards what follows: the answer to an Ask comes from another goroutine
	started bool
	ended   bool
}

func (c *delegatedCall) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

const (
	// NoticeUnasked is the code of the Notice that an agent has run a tool without asking.
	NoticeUnasked = "backend_unasked"
	// NoticeStray is the code of the Notice that an agent has reported something about a call that it has not begun.
	NoticeStray = "backend_stray"
)

// open reports whether a call has not ended.
func (d *delegation) open() bool {
	for _, c := range d.order {
		if !c.hasEnded() {
			return true
		}
	}
	return false
}

// call records a call that the agent begins.
func (d *delegation) call(u backend.Call) {
	if d.calls[u.ID] != nil || d.reason != "" {
		d.stray("call " + u.ID)
		return
	}
	t := d.t
	name := u.Name
	if u.Tool != "" {
		name = cmp.Or(t.s.tools.shown(u.Tool), u.Name)
	}
	t.s.mu.Lock()
	id := t.s.fold.NewCall(event.CallID(u.ID))
	t.s.mu.Unlock()
	c := &delegatedCall{id: id, made: u, request: d.requestOf(u, name), begun: time.Now()}
	d.calls[u.ID] = c
	d.order = append(d.order, c)
	d.begin("")
	message := d.id
	d.endMessage(&model.Call{ID: string(id), Name: name, Input: u.Input}, backend.MessageEnd{})
	t.append(event.ToolIntended{Call: id, Message: message, Name: name, Tool: u.Tool, Input: u.Input})
	t.showStatus(event.Working)
}

// requestOf returns what a call needs. A path that cannot be resolved is one outside of the workspace.
func (d *delegation) requestOf(u backend.Call, name string) approval.Request {
	w := d.t.env.Workspace
	r := approval.Request{Tool: name, Level: u.Level, Command: u.Command, Dir: u.Dir, URL: u.URL, Summary: u.Summary, AsShell: u.Command != "", Unconfined: u.Unconfined}
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

// start records that a call runs, unless that is recorded already. An agent that runs something that it had to ask about is
// stopped. It reports whether the call may go on.
func (d *delegation) start(c *delegatedCall) bool {
	t := d.t
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started || c.ended {
		return true
	}
	if c.request.Level > approval.Read {
		request := c.request
		request.Unconfined = false // only what was asked for leaves the sandbox
		t.s.mu.Lock()
		decision := t.decide(request, c.request.Command != "" && t.env.Confines(), approval.TrustedBy(c.request.Command, t.env.SystemProgram))
		t.s.mu.Unlock()
		if decision.Verdict != approval.Allow {
			d.failure = &backend.Error{Backend: d.agent.name, Code: backend.CodeRefused, Message: fmt.Sprintf("it runs %s without asking, which needs an approval; it was stopped", c.request.Tool)}
			d.agent.Close()
			return false
		}
		d.note(event.Warning, NoticeUnasked, fmt.Sprintf("%s runs %s without asking.", d.agent.name, c.request.Tool))
	}
	if err := t.started(d.ctx, c.id, c.request.Level > approval.Read, ""); err != nil {
		d.failure = err
		return false
	}
	c.started = true
	return true
}

// ask decides about a call for which the agent waits: by the rules, or by the user, who may take hours. The agent goes on with
// other calls meanwhile.
func (d *delegation) ask(u backend.Ask) {
	c := d.calls[u.Call]
	if c == nil || c.hasEnded() || d.reason != "" {
		d.stray("request for call " + u.Call)
		u.Answer(backend.Verdict{Cancel: true})
		return
	}
	d.asks.Go(func() {
		t := d.t
		a := t.approve(d.ctx, c.id, nil, c.request, c.made.Input, nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		v := backend.Verdict{Allow: a.allowed, Reason: a.reason, Cancel: a.by == event.ByInterrupt || d.ctx.Err() != nil}
		if v.Allow && !v.Cancel && !c.started {
			if err := t.started(d.ctx, c.id, c.request.Level > approval.Read, ""); err != nil {
				v = backend.Verdict{Reason: notRun(err).Error(), Cancel: d.ctx.Err() != nil}
			} else {
				c.started = true
				t.showStatus(event.Working)
			}
		}
		u.Answer(v)
		if !v.Allow {
			d.record(c, event.ToolEnded{Call: c.id, Outcome: a.outcome(), Output: cmp.Or(a.reason, noOutput)})
		}
	})
}

// endCall records the end of a call. Of one that was denied the end is recorded already.
func (d *delegation) endCall(u backend.CallEnd) {
	c := d.calls[u.Call]
	switch {
	case c == nil:
		d.stray("end of call " + u.Call)
	case u.NotRun || d.start(c):
		d.finish(c, u)
	}
}

// finish records the end of a call, unless it has ended.
func (d *delegation) finish(c *delegatedCall, u backend.CallEnd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	e := event.ToolEnded{Call: c.id, Outcome: u.Outcome, Output: cmp.Or(u.Text, noOutput), Shell: u.Shell, Changes: d.changes(u.Edits)}
	switch {
	case c.started:
		e.Ran = event.Duration(time.Since(c.begun))
	case u.NotRun:
		e.Shell = nil
	default:
		e.Outcome, e.Shell = event.Interrupted, nil
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

// stray notes that the agent has reported something that does not fit.
func (d *delegation) stray(what string) {
	d.note(event.Warning, NoticeStray, fmt.Sprintf("%s reports something that does not fit: %s.", d.agent.name, what))
}
