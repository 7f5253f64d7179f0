package batchtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley.dev/parley/internal/batch"
)

// A Medium is where stores of a test have their content.
type Medium interface {
	// Open opens a store, as another process would. The suite closes it. Its Visibility is at most 2 s: tests wait for it.
	Open(t *testing.T) batch.Store
}

// patience is how long a test waits for what has to happen.
const patience = 60 * time.Second

// Run runs the suite. fresh returns an empty medium.
func Run(t *testing.T, fresh func(t *testing.T) Medium) {
	for _, test := range []struct {
		name string
		run  func(*env)
	}{
		{"append", appends},
		{"append race", appendRace},
		{"create", creates},
		{"entries", entries},
		{"large entries", largeEntries},
		{"follow", follows},
		{"batches and remove", removes},
		{"blobs", blobs},
		{"queue", queue},
		{"redelivery", redelivery},
		{"extend", extends},
		{"closed stores", closedStores},
		{"turns", turns},
		{"backlog", backlog},
		{"submit interrupted", submitInterrupted},
		{"submit again", submitAgain},
		{"workers that die", workersThatDie},
		{"claims race", claimsRace},
		{"fenced attempt", fencedAttempt},
		{"lost attempt", lostAttempt},
		{"attempts and dead letters", deadLetters},
		{"cancel", cancels},
		{"retry", retries},
		{"retry before the acknowledgement", retryBeforeAck},
		{"budget", budgets},
		{"overtaken claim", overtakenClaim},
		{"shared ledger", sharedLedger},
		{"large values", largeValues},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := &env{T: t, medium: fresh(t)}
			e.ctx, e.cancel = context.WithTimeout(t.Context(), patience)
			t.Cleanup(e.cancel)
			test.run(e)
		})
	}
}

// An env is what a test of the suite works with.
type env struct {
	*testing.T
	medium Medium
	ctx    context.Context
	cancel context.CancelFunc
}

func (e *env) open() batch.Store {
	e.Helper()
	s := e.medium.Open(e.T)
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
	ctx, cancel := context.WithTimeout(e.ctx, s.Visibility()/4)
	defer cancel()
	if d, err := s.Pull(ctx, queues); err == nil {
		e.Errorf("%v was delivered", d.Ref())
	} else if ctx.Err() == nil {
		e.Error(err)
	}
}

func taskLog(id, task string) batch.Log {
	return batch.Log{Batch: id, Kind: batch.TaskLog, Task: task}
}
