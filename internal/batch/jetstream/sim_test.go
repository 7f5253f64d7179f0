package jetstream

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// A simHost is a process in the simulation: a store, and its way to the server.
type simHost struct {
	*streamtest.Host
	store   *Store
	batches *batch.Batches
}

func newSimHost(sim *streamtest.Server, mutate func(stream.Server) stream.Server) simHost {
	h := sim.Host(mutate)
	s := New(func(context.Context) (*cluster.Link, error) {
		return &cluster.Link{Server: h, Feed: h, WorkQueues: h, Namespace: streamtest.Namespace}, nil
	}, Options{})
	return simHost{h, s, batch.New(s)}
}

// The mutations: mistakes that the checks must find. Each is an append to a log without the entry before.
type noExpectation struct {
	stream.Server
	subject string // what the subject has
	text    string // what the entry has
}

func (s noExpectation) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	if strings.Contains(m.Subject, s.subject) && bytes.Contains(m.Data, []byte(s.text)) {
		after = stream.AnySequence
	}
	return s.Server.Publish(ctx, m, after)
}

// A refusalIsAck counts code 10071 as success.
type refusalIsAck struct{ stream.Server }

func (s refusalIsAck) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	seq, err := s.Server.Publish(ctx, m, after)
	if err == stream.ErrSequence && strings.Contains(m.Subject, ".s.") {
		return after + 1, nil
	}
	return seq, err
}

// The batch of the simulation.
const (
	simBatch    = "x"
	simTasks    = 5
	taskLimit   = 4  // tool calls of a task
	batchLimit  = 22 // of the batch: less than all attempts may use
	simAttempts = 3
)

func submission() batch.Submission {
	s := batch.Submission{ID: simBatch, Queue: "q", Budget: batch.Budget{ToolCalls: batchLimit}}
	for i := range simTasks {
		s.Tasks = append(s.Tasks, batch.Task{
			ID: fmt.Sprintf("t%d", i), Prompt: "do it", Sandbox: batch.DefaultSandbox, Timeout: batch.Duration(time.Minute), Attempts: simAttempts,
			RetryOn: batch.DefaultRetryOn(), Budget: batch.Budget{ToolCalls: taskLimit},
		})
	}
	return s
}

// A worker runs tasks until the batch is finished. It is killed and paused now and then.
type worker struct {
	sim    *streamtest.Server
	mutate func(stream.Server) stream.Server
	check  *checker
	random *rand.Rand
	name   string
}

func (w *worker) run(ctx context.Context) {
	for life := 0; ctx.Err() == nil; life++ {
		h := newSimHost(w.sim, w.mutate)
		alive, stop := context.WithCancel(ctx)
		for alive.Err() == nil {
			if w.random.IntN(12) == 0 { // it is stopped, and its tasks are returned
				_ = h.store.Close()
				stop()
				break
			}
			if !w.task(alive, h, fmt.Sprint(w.name, ".", life)) { // it is killed
				stop()
			}
		}
		stop()
	}
}

// task runs one task. It returns false if the worker is killed.
func (w *worker) task(ctx context.Context, h simHost, name string) bool {
	w.maybePause(h)
	pull, cancel := context.WithTimeout(ctx, time.Minute)
	d, err := h.store.Pull(pull, []string{"q"})
	cancel()
	if err != nil {
		return true
	}
	a, err := h.batches.Claim(ctx, d, batch.Worker{ID: name})
	if a == nil || err != nil {
		return true
	}
	used := w.random.IntN(taskLimit + 1)
	w.check.began(a, used)
	for range w.random.IntN(3) {
		w.maybePause(h)
		_ = streamtest.Sleep(ctx, time.Duration(w.random.Int64N(int64(8*time.Second))))
		if a.Extend(ctx) != nil {
			return true
		}
	}
	o := batch.Outcome{Status: batch.Done, ToolCalls: used, Answer: fmt.Sprintf("%s %d", name, a.Number)}
	switch w.random.IntN(8) {
	case 0:
		return false
	case 1:
		_ = a.GiveBack(ctx, o)
		return true
	case 2:
		o.Status, o.Cause = batch.Failed, batch.CauseProvider
	}
	w.maybePause(h)
	if ended, err := a.Finish(ctx, o); err == nil && ended.Status == batch.Done {
		w.check.finished(a, o.Answer)
	}
	return true
}

func (w *worker) maybePause(h simHost) {
	if w.random.IntN(10) == 0 {
		h.Pause(time.Duration(w.random.Int64N(int64(time.Minute))))
	}
}

// A user submits the batch, again if it was killed, and retries and cancels.
type user struct {
	sim    *streamtest.Server
	mutate func(stream.Server) stream.Server
	random *rand.Rand
}

func (u *user) run(ctx context.Context) {
	for range 2 { // one is killed
		h := newSimHost(u.sim, u.mutate)
		life, kill := context.WithTimeout(ctx, time.Duration(u.random.Int64N(int64(10*time.Second))))
		_, _ = h.batches.Submit(life, submission())
		kill()
	}
	h := newSimHost(u.sim, u.mutate)
	for _, err := h.batches.Submit(ctx, submission()); err != nil && ctx.Err() == nil; {
		_, err = h.batches.Submit(ctx, submission())
	}
	for range u.random.IntN(3) {
		_ = streamtest.Sleep(ctx, time.Duration(u.random.Int64N(int64(30*time.Second))))
		task := []string{fmt.Sprint("t", u.random.IntN(simTasks))}
		if u.random.IntN(4) == 0 {
			_, _ = h.batches.Cancel(ctx, simBatch, task)
		} else {
			_, _ = h.batches.Retry(ctx, simBatch, task, nil)
		}
	}
}
