package acp

import (
	"fmt"
	"math"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// A replayer folds the records of the past to what a client is sent of it: each message whole, and each call once, as it
// ended. It uses the view that shows what happens now, which goes on with what happens next.
type replayer struct {
	view     *view
	caps     ClientCapabilities
	head     uint64               // the last record that was folded
	queue    []*replayed          // what is not sent yet: what waits for calls before it
	calls    map[string]*replayed // the open ones
	grown    []event.Record       // what the journal has of an answer that has not ended
	plan     *PlanUpdate          // the last one
	requests []any                // each an approvalRequest or an elicitation that was not answered
}

// A replayed update can be sent when it is not open.
type replayed struct {
	update any
	open   bool // it is a call that has not ended
}

// newReplayer returns a replayer that has folded nothing. The view is one of the session.
func newReplayer(v *view) *replayer {
	p := &replayer{view: v, caps: v.caps, calls: map[string]*replayed{}}
	v.replaying, v.since, v.cost, v.title = true, math.MaxUint64, 0, ""
	v.caps.Session.Notices = nil
	v.caps.Meta.TerminalOutput = false // there is no terminal to show the output in
	return p
}

// fold returns the updates that can be sent after the next record.
func (p *replayer) fold(rec event.Record) []any {
	p.head = rec.Seq
	switch e := rec.Event.(type) {
	case event.AnswerGrew:
		if e.Restart {
			p.grown = nil
		}
		p.grown = append(p.grown, rec)
		return nil
	case event.AssistantMessage, event.StepStarted, event.TurnEnded:
		p.grown = nil
	case event.TurnStarted:
		p.failOpen() // of a turn that has no end
	case event.Compacted:
		p.compacted(rec.Seq, e)
	}
	if p.view.turn == nil && outsideTurns(rec.Event) {
		p.view.turn = newTurn(rec.Turn, "")
	}
	p.render(rec)
	if e, ok := rec.Event.(event.TurnEnded); ok && e.Window > 0 {
		p.view.window = e.Window
	}
	return p.ready()
}

// outsideTurns reports whether records of another program may have an event outside of turns that is shown.
func outsideTurns(e event.Event) bool {
	switch e.(type) {
	case event.UserMessage, event.AssistantMessage, event.ToolIntended:
		return true
	}
	return false
}

// render queues what a record causes.
func (p *replayer) render(rec event.Record) {
	for i, message := range p.view.render(rec) {
		switch m := message.(type) {
		case MessageChunk:
			p.say(m, i > 0)
		case ToolCall:
			p.call(m)
		case PlanUpdate:
			p.plan = &m
		case approvalRequest, elicitation:
			p.requests = append(p.requests, m)
		case approvalEnd:
			p.requests = slices.DeleteFunc(p.requests, func(a any) bool { request, ok := a.(approvalRequest); return ok && request.approval == m.approval })
		case questionEnd:
			p.requests = slices.DeleteFunc(p.requests, func(a any) bool { request, ok := a.(elicitation); return ok && request.question == m.question })
		}
	}
}

// compacted queues a compaction, in place of which clients show what it has summed up: that is replayed, too.
func (p *replayer) compacted(seq uint64, e event.Compacted) {
	if p.caps.Session.Compaction != nil {
		p.add(CompactionUpdate{
			SessionUpdate: "compaction_update", CompactionID: fmt.Sprintf("compaction-%d", seq), Status: "completed", Summary: []ContentBlock{text(e.Summary)},
		})
	}
}

func (p *replayer) add(update any) { p.queue = append(p.queue, &replayed{update: update}) }

// say queues a part of a message, as one with the part before it if both are text; more reports whether that is of the
// same record.
func (p *replayer) say(m MessageChunk, more bool) {
	if more && m.SessionUpdate != "user_message_chunk" && len(p.queue) > 0 {
		last := p.queue[len(p.queue)-1]
		before, ok := last.update.(MessageChunk)
		if ok && before.SessionUpdate == m.SessionUpdate && before.MessageID == m.MessageID && before.Content.Text != nil && m.Content.Text != nil {
			before.Content = text(*before.Content.Text + *m.Content.Text)
			last.update = before
			return
		}
	}
	p.add(m)
}

// call queues a call, or changes one that is queued.
func (p *replayer) call(m ToolCall) {
	ended := m.Status == ToolCompleted || m.Status == ToolFailed
	r := p.calls[m.ToolCallID]
	switch {
	case m.SessionUpdate == "tool_call":
		r = &replayed{update: m, open: true}
		p.queue = append(p.queue, r)
		p.calls[m.ToolCallID] = r
	case r == nil:
		return
	default:
		r.update = merged(r.update.(ToolCall), m)
	}
	if ended {
		r.open = false
		delete(p.calls, m.ToolCallID)
	}
}

// merged returns a call with what an update changes.
func merged(c, change ToolCall) ToolCall {
	setTo(&c.Title, change.Title)
	setTo(&c.Kind, change.Kind)
	setTo(&c.Status, change.Status)
	setTo(&c.RawOutput, change.RawOutput)
	setTo(&c.Meta, change.Meta)
	if change.Content != nil {
		c.Content = change.Content
	}
	if change.Locations != nil {
		c.Locations = change.Locations
	}
	if change.RawInput != nil {
		c.RawInput = change.RawInput
	}
	return c
}

// setTo sets a member to a value, unless that is zero.
func setTo[T comparable](member *T, value T) {
	if value != *new(T) {
		*member = value
	}
}

// ready returns what is queued before the first open call.
func (p *replayer) ready() (updates []any) {
	for len(p.queue) > 0 && !p.queue[0].open {
		updates = append(updates, p.queue[0].update)
		p.queue = p.queue[1:]
	}
	return updates
}

// failOpen ends the calls that have no end.
func (p *replayer) failOpen() {
	if p.view.turn == nil {
		return
	}
	p.render(event.Record{Event: event.TurnEnded{}})
}

// finish returns the rest of the past, of a session in the state that it had after the last record: calls of a turn that
// runs are shown as they are. The view is then that of a client that was sent all of it.
func (p *replayer) finish(st engine.State) []any {
	if st.Turn == "" {
		p.failOpen()
	}
	for _, rec := range p.grown {
		if p.view.turn != nil {
			p.render(rec)
		}
	}
	for _, r := range p.queue {
		r.open = false
	}
	updates := p.ready()
	if p.plan != nil {
		updates = append(updates, *p.plan)
	}
	p.view.replaying, p.view.caps, p.view.cost, p.view.title = false, p.caps, st.Cost, shownTitle(st)
	if p.view.title != "" {
		updates = append(updates, SessionInfoUpdate{"session_info_update", p.view.title, stamp(st.Summary.Updated)})
	}
	p.view.out = nil
	p.view.showUsage()
	return append(updates, p.view.out...)
}

// openCalls returns the calls that have not ended.
func (p *replayer) openCalls() (calls []any) {
	for _, r := range p.queue {
		if r.open {
			calls = append(calls, r.update)
		}
	}
	return calls
}

// waiting returns the requests of the past for approvals and answers that the engine still waits for.
func (p *replayer) waiting(eng *engine.Session) []any {
	approvals, questions := eng.Waiting()
	return slices.DeleteFunc(p.requests, func(a any) bool {
		switch a := a.(type) {
		case approvalRequest:
			return !slices.ContainsFunc(approvals, func(w event.ApprovalAsked) bool { return w.ID == a.approval })
		case elicitation:
			return !slices.ContainsFunc(questions, func(w event.QuestionAsked) bool { return w.ID == a.question })
		}
		return true
	})
}
