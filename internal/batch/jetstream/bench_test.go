package jetstream_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream/natstest"
)

func benchStore(b *testing.B) (medium, batch.Store) {
	m := newMedium(b, natstest.Start(b).URL, 1)
	s := m.open(b, 30*time.Second)
	b.Cleanup(func() { _ = s.Close() })
	return m, s
}

// BenchmarkPublish is the unit of BenchmarkTask: the client library publishes 300 bytes and waits.
func BenchmarkPublish(b *testing.B) {
	m, _ := benchStore(b)
	js := natstest.Connect(b, m.address.Servers[0])
	data := []byte(strings.Repeat("x", 300))
	for b.Loop() {
		if _, err := js.Publish(b.Context(), m.address.Namespace+".bt.floor.m", data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTask is what a task costs besides its turn: pull, claim, pin a commit, finish.
func BenchmarkTask(b *testing.B) {
	for name, budget := range map[string]batch.Budget{"plain": {}, "budget": {ToolCalls: 1 << 30}} {
		b.Run(name, func(b *testing.B) {
			_, s := benchStore(b)
			batches := batch.New(s)
			tasks := batch.Submission{ID: "x", Queue: "q", Budget: budget}
			for i := range 2000 {
				tasks.Tasks = append(tasks.Tasks, batch.Task{
					ID: fmt.Sprintf("t%d", i), Prompt: "do it", Attempts: 3, RetryOn: batch.DefaultRetryOn(), Budget: batch.Budget{ToolCalls: 1},
				})
			}
			round := 0
			left := 0
			for b.Loop() {
				if left == 0 {
					b.StopTimer()
					round++
					tasks.ID = fmt.Sprintf("x%d", round)
					if _, err := batches.Submit(b.Context(), tasks); err != nil {
						b.Fatal(err)
					}
					left = len(tasks.Tasks)
					b.StartTimer()
				}
				left--
				runTask(b, batches)
			}
		})
	}
}

func runTask(b *testing.B, batches *batch.Batches) {
	d, err := batches.Store().Pull(b.Context(), []string{"q"})
	if err != nil {
		b.Fatal(err)
	}
	a, err := batches.Claim(b.Context(), d, batch.Worker{ID: "w"})
	if err != nil {
		b.Fatal(err)
	}
	if err := a.Pin(b.Context(), "9c1e0000000000000000000000000000000000ab"); err != nil {
		b.Fatal(err)
	}
	if _, err := a.Finish(b.Context(), batch.Outcome{Status: batch.Done, Answer: "done", ToolCalls: 1}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkQueue pulls and acknowledges 5,000 tasks with 16 stores.
func BenchmarkQueue(b *testing.B) {
	const tasks, pullers = 5000, 16
	m, s := benchStore(b)
	var refs []batch.Ref
	for i := range tasks {
		refs = append(refs, batch.Ref{Queue: "q", Batch: "x", Task: fmt.Sprintf("t%d", i)})
	}
	var stores []batch.Store
	for range pullers {
		other := m.open(b, 30*time.Second)
		defer other.Close()
		stores = append(stores, other)
	}
	for b.Loop() {
		b.StopTimer()
		if err := s.Enqueue(b.Context(), refs); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		drain(b, stores, tasks)
	}
	b.ReportMetric(float64(tasks)*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// drain pulls and acknowledges n tasks.
func drain(b *testing.B, stores []batch.Store, n int) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, s := range stores {
		wg.Go(func() {
			for {
				d, err := s.Pull(ctx, []string{"q"})
				if err != nil {
					return
				}
				if err := d.Ack(ctx); err != nil && ctx.Err() == nil {
					b.Error(err)
				}
				mu.Lock()
				if n--; n == 0 {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
