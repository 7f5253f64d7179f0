package agentair

import "parley.dev/parley/internal/lock"

// This file keeps messages after the commands that were sent before them.

// A queue is what a session's client asked for after a command that waits for a turn's end.
type queue struct {
	mu      lock.Mutex
	jobs    []job
	working bool // a goroutine runs them, one after the other
	dropped bool // messages do not run any more
	stopped bool // the first job is not wanted any more
}

// A job is a command, or the beginning of a message's turn.
type job struct {
	message bool
	do      func()
}

// add puts a job after those that are there.
func (q *queue) add(j job, start func(work func())) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	if !q.working {
		q.working = true
		start(q.work)
	}
}

// busy reports whether a message has to wait for a command, and how many messages do.
func (q *queue) busy() (busy bool, messages int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if j.message {
			messages++
		}
	}
	return q.working, messages
}

// drop lets no message begin a turn any more.
func (q *queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped = true
}

// stop marks the running command, if there is one, as not wanted any more.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = q.working
}

// unwanted reports whether the running command is not wanted any more.
func (q *queue) unwanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stopped
}

// work does the jobs until there are none. One that is under way still counts as there.
func (q *queue) work() {
	for {
		q.mu.Lock()
		if len(q.jobs) == 0 {
			q.working = false
			q.mu.Unlock()
			return
		}
		j, dropped := q.jobs[0], q.dropped
		q.mu.Unlock()
		if !j.message || !dropped {
			j.do()
		}
		q.mu.Lock()
		q.jobs, q.stopped = q.jobs[1:], false
		q.mu.Unlock()
	}
}
