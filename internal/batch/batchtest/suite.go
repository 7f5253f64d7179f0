package batchtest

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	"parley.dev/parley/internal/batch"
)

// A Medium is where stores of a test have their content.
type Medium interface {
	// Open opens a store with that Visibility, as another process would. The suite closes it.
	Open(t *testing.T, visibility time.Duration) batch.Store
}

// patience is how long a test waits for what has to happen.
const patience = 60 * time.Second

const (
	// long is the Visibility of tests that do not wait for it: nothing that they do takes longer, on a slow disk either.
	long = 2 * patience
	// short is the Visibility of tests that wait for it.
	short = 2 * time.Second
	// quiet is how long a test waits for what must not happen.
	quiet = 500 * time.Millisecond
)

// Run runs the suite. fresh returns an empty medium.
func Run(t *testing.T, fresh func(t *testing.T) Medium) {
	for _, test := range []struct {
		name       string
		run        func(*env)
		visibility time.Duration // 0: long
	}{
		{"append", appends, 0},
		{"append race", appendRace, 0},
		{"create", creates, 0},
		{"entries", entries, 0},
		{"large entries", largeEntries, 0},
		{"follow", follows, 0},
		{"batches and remove", removes, 0},
		{"blobs", blobs, 0},
		{"queue", queue, 0},
		{"redelivery", redelivery, short},
		{"extend", extends, short},
		{"closed stores", closedStores, 0},
		{"turns", turns, 0},
		{"backlog", backlog, 0},
		{"submit interrupted", submitInterrupted, 0},
		{"submit again", submitAgain, 0},
		{"workers that die", workersThatDie, 0},
		{"claims race", claimsRace, short},
		{"fenced attempt", fencedAttempt, short},
		{"lost attempt", lostAttempt, short},
		{"attempts and dead letters", deadLetters, short},
		{"cancel", cancels, 0},
		{"retry", retries, 0},
		{"retry before the acknowledgement", retryBeforeAck, 0},
		{"budget", budgets, 0},
		{"overtaken claim", overtakenClaim, 0},
		{"shared ledger", sharedLedger, 0},
		{"large values", largeValues, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := &env{T: t, medium: fresh(t), visibility: cmp.Or(test.visibility, long)}
			e.ctx, e.cancel = context.WithTimeout(t.Context(), patience)
			t.Cleanup(e.cancel)
			test.run(e)
		})
	}
}

// An env is what a test of the suite works with.
type env struct {
	*testing.T
	medium     Medium
	visibility time.Duration // of its stores
	ctx        context.Context
	cancel     context.CancelFunc
}

func (e *env) open() batch.Store {
	e.Helper()
	s := e.medium.Open(e.T, e.visibility)
	e.Cleanup(func() {
		if err := s.Close(); err != nil {
			e.Error(err)
		}
	})
	return s
}

// must ends the test on an error.
func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// want reports an error that is not the expected one.
func (e *env) want(err, want error) {
	e.Helper()
	if !errors.Is(err, want) {
		e.Errorf("the error is %v, want %v", err, want)
	}
}

// appended appends and returns the number.
func (e *env) appended(s batch.Store, log batch.Log, after uint64, data string) uint64 {
	e.Helper()
	number, err := s.Append(e.ctx, log, after, []byte(data))
	e.must(err)
	return number
}

// texts returns the data of entries.
func (e *env) texts(s batch.Store, log batch.Log, after uint64) (texts []string) {
	e.Helper()
	for entry, err := range s.Entries(e.ctx, log, after) {
		e.must(err)
		texts = append(texts, string(entry.Data))
	}
	return texts
}

func (e *env) pull(s batch.Store, queues ...string) batch.Delivery {
	e.Helper()
	d, err := s.Pull(e.ctx, queues)
	e.must(err)
	return d
}

// nothing reports a task that can be pulled now.
func (e *env) nothing(s batch.Store, queues ...string) {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, quiet)
	defer cancel()
	if d, err := s.Pull(ctx, queues); err == nil {
		e.Errorf("%v was delivered", d.Ref())
	} else if ctx.Err() == nil {
		e.Error(err)
	}
}

// delayed reports a task whose next attempt is not due about ten seconds after its last one ended, which was after since.
func (e *env) delayed(t *batch.TaskState, since time.Time) {
	e.Helper()
	if t.NotBefore.Sub(since) < 3*time.Second || time.Until(t.NotBefore) > 15*time.Second {
		e.Errorf("it waits until %s, and now it is %s", t.NotBefore, time.Now())
	}
}

func taskLog(id, task string) batch.Log {
	return batch.Log{Batch: id, Kind: batch.TaskLog, Task: task}
}
