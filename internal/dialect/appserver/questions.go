package appserver

import (
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// Questions are the requests to one client that wait for an answer, each about a K. They are safe for concurrent use.
type Questions[K comparable] struct {
	mu   lock.Mutex
	open map[jsonrpc.ID]K
	ids  map[K]jsonrpc.ID
	next int64
}

// NewQuestions returns no questions; the first will have that id.
func NewQuestions[K comparable](first int64) *Questions[K] {
	return &Questions[K]{open: map[jsonrpc.ID]K{}, ids: map[K]jsonrpc.ID{}, next: first}
}

// Add returns the id of a new question.
func (q *Questions[K]) Add(about K) jsonrpc.ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	id := jsonrpc.Number(q.next)
	q.next++
	q.open[id], q.ids[about] = about, id
	return id
}

// Take returns what the question of an id is about. It is answered then: a second answer finds nothing.
func (q *Questions[K]) Take(id jsonrpc.ID) (about K, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	about, ok = q.open[id]
	delete(q.open, id)
	return about, ok
}

// Drop forgets a question that is settled, by this client or another one, and returns its id. It reports false if the
// client was not sent it.
func (q *Questions[K]) Drop(about K) (id jsonrpc.ID, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	id, ok = q.ids[about]
	delete(q.open, id)
	delete(q.ids, about)
	return id, ok
}
