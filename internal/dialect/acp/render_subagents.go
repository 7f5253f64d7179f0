package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	shorten "parley.dev/parley/internal/text"
)

// This file shows subagents: how far they are, and their calls as calls of the session.

// A worker is a subagent; the zero value is the session itself.
type worker struct {
	prefix  string // of the ids of its calls
	parent  string // id of the call that it works for
	agent   string
	session event.SessionID
	dir     string // where it works, absolute
}

// meta returns the subagent that a call is of; nil: none.
func (c *call) meta() *ToolCallMeta {
	if c.prefix == "" {
		return nil
	}
	return &ToolCallMeta{Parley: &ParleyToolCallMeta{Parent: c.parent, Agent: c.agent}}
}

func (v *view) renderSubagents(e event.Event) {
	switch e := e.(type) {
	case event.TasksProgressed:
		v.withCall(worker{}, e.Call, func(c *call) { v.progress(c, e) })
	case event.SubagentRecorded:
		v.renderWorker(worker{}, e)
	}
}

// renderWorker renders a record of a subagent of w.
func (v *view) renderWorker(w worker, e event.SubagentRecorded) {
	sub := worker{
		prefix: w.prefix + e.Name + "/", parent: w.prefix + string(e.Call), agent: e.Agent, session: e.Session, dir: e.Dir,
	}
	switch own := e.Record.Event.(type) {
	case event.SubagentRecorded:
		v.renderWorker(sub, own)
	case event.ApprovalAsked:
		v.withCall(sub, own.Call, func(c *call) { c.pending = append(c.pending, own) })
	case event.ApprovalAnswered:
		for _, c := range v.turn.calls.all {
			if c.worker == sub {
				c.pending = slices.DeleteFunc(c.pending, func(asked event.ApprovalAsked) bool { return asked.ID == own.ID })
			}
		}
	default:
		v.renderCallOf(sub, own)
	}
}

// takePending returns the call of a subagent that an approval of the call c is for, or c itself, and removes the approval from the
// pending ones of that call.
func (v *view) takePending(c *call, e event.ApprovalAsked) *call {
	found, at := c, -1
	for _, one := range v.turn.calls.all {
		if one.ended() || len(one.prefix) <= len(found.prefix) {
			continue
		}
		i := slices.IndexFunc(one.pending, func(held event.ApprovalAsked) bool { return held.Request.Same(e.Request) })
		if i >= 0 {
			found, at = one, i
		}
	}
	if at >= 0 {
		found.pending = slices.Delete(found.pending, at, at+1)
	}
	return found
}

// inputShown is how much of the input of a call is shown in the progress of a subagent, in characters.
const inputShown = 80

// progress shows how far the subagents of a call are.
func (v *view) progress(c *call, e event.TasksProgressed) {
	var lines strings.Builder
	for _, t := range e.Tasks {
		fmt.Fprintf(&lines, "- %s (%s): %s", oneLine(cmp.Or(t.Description, t.ID)), t.Agent, t.Status)
		if t.Current != "" {
			fmt.Fprintf(&lines, ", %s %s", t.Current, shorten.ClipRunes(t.Input, inputShown, "…"))
		}
		if n := len(t.Output); n > 0 {
			fmt.Fprintf(&lines, "\n  %s", t.Output[n-1])
		}
		lines.WriteByte('\n')
	}
	v.update(c, ToolCall{Content: []ToolContent{textOfTool(firstPart(lines.String()))}})
}
