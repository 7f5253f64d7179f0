package acp

import (
	"context"

	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// jobs is the commands of a session that wait until no turn runs, and the prompts that were sent after them. One is done at a
// time, in order. The zero value has none.
type jobs struct {
	mu      lock.Mutex
	waiting []*job
	current *job          // under way; nil: none
	done    chan struct{} // closed when there are none left; nil: there are none
}

// A job is a command, or the beginning of a turn.
type job struct {
	id     jsonrpc.ID // of the request; "": there is none
	do     func(ctx context.Context)
	ctx    context.Context // of do; it ends when the job is cancelled
	cancel context.CancelFunc
}

// newJob returns a job whose request, which it answers, can be cancelled from now on. The id "" is none.
func (s *session) newJob(id jsonrpc.ID, do func(ctx context.Context)) *job {
	j := &job{id: id, do: do}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	if id != "" {
		s.conn.running.begin(id, func() { s.cancelJob(j) })
	}
	return j
}

// addJob adds a job after those that are there.
func (s *session) addJob(j *job) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.jobs.waiting = append(s.jobs.waiting, j)
	s.startJobs()
}

// addJobsFirst adds jobs before those that wait.
func (s *session) addJobsFirst(first []*job) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.jobs.waiting = append(first, s.jobs.waiting...)
	s.startJobs()
}

func (s *session) startJobs() {
	if s.jobs.done == nil {
		s.jobs.done = make(chan struct{})
		s.conn.working.Go(s.work)
	}
}

// work does jobs until there are none.
func (s *session) work() {
	over := false
	defer func() {
		if !over { // one has panicked: none waits for the others for ever
			s.jobs.end()
		}
	}()
	for {
		_ = s.eng.Wait(context.Background()) // every turn ends
		j := s.jobs.next()
		if j == nil {
			over = true
			return
		}
		if j.ctx.Err() != nil {
			s.answerJob(j.id, s.cancelledLine(j.id))
		} else {
			j.do(j.ctx)
		}
		j.cancel()
	}
}

// next returns the job to do; nil: there is none.
func (q *jobs) next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.finish()
		return nil
	}
	q.current, q.waiting = q.waiting[0], q.waiting[1:]
	return q.current
}

// end removes the jobs.
func (q *jobs) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = nil
	q.finish()
}

func (q *jobs) finish() {
	q.current = nil
	if q.done != nil {
		close(q.done)
		q.done = nil
	}
}

// answerJob answers the request of a job, after everything that was sent before.
func (s *session) answerJob(id jsonrpc.ID, lines ...[]byte) {
	if id != "" {
		s.conn.running.done(id)
		s.pump.Reply(lines...)
	}
}

// cancelJob cancels one job. One that waits is answered at once.
func (s *session) cancelJob(j *job) {
	if s.jobs.remove(j) {
		s.answerJob(j.id, s.cancelledLine(j.id))
	}
	j.cancel()
}

// remove reports whether the job has waited.
func (q *jobs) remove(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.waiting {
		if other == j {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// cancelAll cancels the jobs. They are answered in order, after the running turn.
func (q *jobs) cancelAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.current != nil {
		q.current.cancel()
	}
	for _, j := range q.waiting {
		j.cancel()
	}
}

// pending reports whether there are jobs, and how many of them wait.
func (q *jobs) pending() (any bool, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.done != nil, len(q.waiting)
}

// wait waits until there are no jobs.
func (q *jobs) wait() {
	q.mu.Lock()
	done := q.done
	q.mu.Unlock()
	if done != nil {
		<-done
	}
}
