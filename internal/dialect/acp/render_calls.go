package acp

import (
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
)

// This file shows the life of tool calls: one tool_call, updates, and exactly one of completed and failed.

// A call is a tool call of the running turn.
type call struct {
	event.ToolIntended
	id        string // unique in the session; the call of a subagent has another one in the subagent's own session
	worker           // the subagent that the call is of; zero: none
	args      arguments
	broken    bool               // the input does not have what the title is made of
	hidden    bool               // its tool is shown by what it does
	status    ToolStatus         // that the client knows
	locations []Location         // that the client knows
	proposed  []event.FileChange // what it would do
	output    output
	terminal  string                // of the client, in which it was shown to run; "": none
	pending   []event.ApprovalAsked // of a subagent's call: not passed on yet
}

// calls are those of the running turn.
type calls struct {
	byID map[string]*call
	all  []*call
}

func (cs *calls) add(c *call) {
	if cs.byID == nil {
		cs.byID = map[string]*call{}
	}
	cs.byID[c.id] = c
	cs.all = append(cs.all, c)
}

// open returns a call that has not ended; nil: there is none of that id.
func (cs *calls) open(id string) *call {
	if c := cs.byID[id]; c != nil && !c.ended() {
		return c
	}
	return nil
}

func (c *call) ended() bool { return c.status == ToolCompleted || c.status == ToolFailed }

// isNote reports whether calls of the tool are shown by what they do, and not as calls: a plan, the result of a subagent.
func isNote(e event.ToolIntended) bool {
	return e.Server == "" && (e.Tool == toolPlan || e.Tool == toolTodo || e.Tool == toolSubmit)
}

// newCall returns a call that begins.
func (v *view) newCall(w worker, e event.ToolIntended) *call {
	c := &call{ToolIntended: e, id: w.prefix + string(e.Call), worker: w, hidden: isNote(e), status: ToolPending}
	c.broken = json.Unmarshal(e.Input, &c.args) != nil // it fails as a call
	c.locations = v.locations(c)
	return c
}

// renderCall renders what a record says of calls of the session.
func (v *view) renderCall(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.TasksProgressed, event.SubagentRecorded:
		v.renderSubagents(e)
	case event.ApprovalAsked:
		v.approvalAsked(e)
	case event.ApprovalAnswered:
		v.show(approvalEnd{e.ID})
	case event.QuestionAsked:
		v.question(e)
	case event.QuestionAnswered:
		v.show(questionEnd{e.ID})
	default:
		v.renderCallOf(worker{}, e)
	}
}

// renderCallOf renders what an event says of a call of the session, or of a subagent.
func (v *view) renderCallOf(w worker, e event.Event) {
	switch e := e.(type) {
	case event.ToolIntended:
		v.intend(w, e)
	case event.ChangesProposed:
		v.withCall(w, e.Call, func(c *call) { c.proposed = e.Changes })
	case event.ToolStarted:
		v.withCall(w, e.Call, func(c *call) { v.started(c, e) })
	case event.TerminalCreated:
		v.withCall(w, e.Call, func(c *call) { v.showTerminal(c, e.Terminal) })
	case event.ToolOutput:
		v.commandOutput = true
		v.withCall(w, e.Call, func(c *call) { v.growOutput(c, e.Text) })
	case event.ToolEnded:
		v.withCall(w, e.Call, func(c *call) { v.endCall(c, e) })
	}
}

func (v *view) withCall(w worker, id event.CallID, do func(*call)) {
	if c := v.turn.calls.open(w.prefix + string(id)); c != nil {
		do(c)
	}
}

// intend shows a new call.
func (v *view) intend(w worker, e event.ToolIntended) {
	c := v.newCall(w, e)
	if v.turn.calls.byID[c.id] != nil {
		return // ids are unique; a client must not see a call begin twice
	}
	v.turn.calls.add(c)
	if !c.hidden {
		v.show(v.begun(c))
	}
}

// begun returns the frame of a new call.
func (v *view) begun(c *call) ToolCall {
	begun := ToolCall{
		SessionUpdate: "tool_call", ToolCallID: c.id, Title: v.titleOf(c), Name: c.Name, Kind: kindOf(c), Status: c.status,
		Locations: c.locations, RawInput: dialect.Object(c.Input), Meta: c.meta(),
	}
	v.beginTerminal(c, &begun)
	return begun
}

// reveal shows a call that was not shown because of its tool.
func (v *view) reveal(c *call) {
	if c.hidden {
		c.hidden = false
		v.show(v.begun(c))
	}
}

// update shows what has changed of a call.
func (v *view) update(c *call, change ToolCall) {
	if c.hidden {
		return
	}
	change.SessionUpdate, change.ToolCallID = "tool_call_update", c.id
	if slices.Equal(change.Locations, c.locations) {
		change.Locations = nil
	} else if change.Locations != nil {
		c.locations = change.Locations
	}
	if own := c.meta(); own != nil {
		if change.Meta == nil {
			change.Meta = own
		}
		change.Meta.Parley = own.Parley
	}
	v.show(change)
}

// endCall shows the end of a call. Nothing of it follows.
func (v *view) endCall(c *call, e event.ToolEnded) {
	end := v.result(c, e)
	if c.output.terminal {
		v.endTerminal(c, e, &end)
	}
	if e.Shell != nil && e.Shell.Terminal != "" {
		end = v.endInTerminal(c, end, e)
	}
	c.status = end.Status
	v.update(c, end)
}

// fail ends a call that has no end of its own.
func (v *view) fail(c *call, why string) {
	c.status = ToolFailed
	v.update(c, ToolCall{Status: c.status, Content: []ToolContent{textOfTool(why)}})
}

// failOpen ends the calls that are open, in their order.
func (v *view) failOpen(why string) {
	for _, c := range v.turn.calls.all {
		if !c.ended() {
			v.fail(c, why)
		}
	}
}
