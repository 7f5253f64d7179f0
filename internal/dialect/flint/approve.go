package flint

import (
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file handles requests to the client: approvals.

// firstQuestion is the id of the first request to the client: no client counts so far, so
// that one which forgets to look at the method does not take it for an answer.
const firstQuestion = 1_000_001

// asked is a pending approval of a thread.
type asked struct {
	thread   *thread
	approval event.ApprovalID
}

// decide takes the client's answer to a question. One that comes too late, or twice, or to
// no question, means nothing.
func (c *conn) decide(r response) {
	a, ok := c.asked.Take(r.id)
	if !ok {
		return
	}
	d := engine.Decision{Broken: true, Reason: textBroken}
	decision, sensible := r.decision()
	if sensible {
		d = engine.Decision{
			Allow: decision == Accept || decision == AcceptForSession, Remember: decision == AcceptForSession, Interrupt: decision == Cancel,
		}
	}
	_ = a.thread.client.Answer(a.approval, d) // settled meanwhile: nothing to do
}
