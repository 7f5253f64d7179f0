package flint

import (
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file handles requests to the client: approvals.

// firstQuestion is the id of the first request to the client: no client counts so far, so
// that one which forgets to look at the method does not take it for an answer.
const firstQuestion = 1_000_001

// questions is what the client is asked and has not answered. It is safe for concurrent use.
type questions struct {
	mu   *lock.Mutex
	open map[jsonrpc.ID]asked
	ids  map[asked]jsonrpc.ID
	next *int64
}

// asked is a pending approval of a thread.
type asked struct {
	thread   *thread
	approval event.ApprovalID
}

func newQuestions() questions {
	next := int64(firstQuestion)
	return questions{mu: new(lock.Mutex), open: map[jsonrpc.ID]asked{}, ids: map[asked]jsonrpc.ID{}, next: &next}
}

// add makes an id for a question.
func (q questions) add(a asked) jsonrpc.ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	id := jsonrpc.Number(*q.next)
	*q.next++
	q.open[id], q.ids[a] = a, id
	return id
}

// take returns the question of an id; it is open no more.
func (q questions) take(id jsonrpc.ID) (asked, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a, ok := q.open[id]
	delete(q.open, id)
	delete(q.ids, a)
	return a, ok
}

// drop forgets a question that was settled without the client.
func (q questions) drop(a asked) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, q.ids[a])
	delete(q.ids, a)
}

// decide takes the client's answer to a question. One that comes too late, or twice, or to
// no question, means nothing.
func (c *conn) decide(r response) {
	a, ok := c.asked.take(r.id)
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
