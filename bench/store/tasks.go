package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/jetstream"
	"parley.dev/parley/internal/cluster"
)

// Tasks runs n tasks of a batch: pull, claim, pinned commit and result, each after a raw publish. With a budget each also reserves a part
// of it and settles.
func (s *Servers) Tasks(ctx context.Context, n int, budget bool) (p Pair, err error) {
	on, err := s.session(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	member := cluster.New(cluster.Options{Address: on.address})
	defer member.Close()
	store := jetstream.New(member.Connect, jetstream.Options{})
	defer func() { err = errors.Join(err, store.Close()) }()
	batches := batch.New(store)
	if err := submit(ctx, batches, n, budget); err != nil {
		return p, err
	}
	data := []byte(strings.Repeat("x", frame))
	return pairs(n, func() error { return on.publish(ctx, "raw", data) }, func() error { return runTask(ctx, batches) })
}

func submit(ctx context.Context, b *batch.Batches, n int, budget bool) error {
	s := batch.Submission{ID: "bench", Queue: batch.DefaultQueue}
	if budget {
		s.Budget = batch.Budget{ToolCalls: n}
	}
	for i := range n {
		s.Tasks = append(s.Tasks, batch.Task{
			ID: fmt.Sprint("t", i), Prompt: "do it", Attempts: batch.DefaultAttempts, RetryOn: batch.DefaultRetryOn(), Budget: batch.Budget{ToolCalls: 1},
		})
	}
	_, err := b.Submit(ctx, s)
	return err
}

func runTask(ctx context.Context, b *batch.Batches) error {
	d, err := b.Store().Pull(ctx, []string{batch.DefaultQueue})
	if err != nil {
		return err
	}
	a, err := b.Claim(ctx, d, batch.Worker{ID: "bench"})
	if err != nil {
		return err
	}
	if a == nil {
		return errors.New("a task was left to others")
	}
	if err := a.Pin(ctx, "9c1e0000000000000000000000000000000000ab"); err != nil {
		return err
	}
	_, err = a.Finish(ctx, batch.Outcome{Status: batch.Done, Answer: "done", ToolCalls: 1})
	return err
}
