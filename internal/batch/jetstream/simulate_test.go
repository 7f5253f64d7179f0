package jetstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// seedsEnv is the environment variable with the number of seeds of TestSimulation.
const seedsEnv = "PARLEY_SEEDS"

// TestSimulation lets workers that are paused and killed run a batch through a server with faults, in simulated time,
// and checks the logs that they leave.
func TestSimulation(t *testing.T) {
	seeds := racetest.Size(1000, 100)
	if text := os.Getenv(seedsEnv); text != "" {
		seeds, _ = strconv.Atoi(text)
	}
	var all checker
	for seed := range seeds {
		c := simulate(t, uint64(seed), nil)
		if len(c.found) > 0 {
			t.Fatalf("seed %d: %v", seed, c.found)
		}
		all.attempts += c.attempts
		all.lost, all.requeued, all.results, all.noBudget = all.lost+c.lost, all.requeued+c.requeued, all.results+c.results, all.noBudget+c.noBudget
		all.repairs += c.repairs
	}
	t.Logf("%d attempts, %d lost, %d requeued, %d results, %d without budget; %d batches had a task that was not queued",
		all.attempts, all.lost, all.requeued, all.results, all.noBudget, all.repairs)
	if all.attempts == 0 || all.lost == 0 || all.requeued == 0 || all.results == 0 || all.noBudget == 0 {
		t.Error("the simulation does not contain what it is for")
	}
}

// TestSimulationFinds checks that the simulation finds mistakes.
func TestSimulationFinds(t *testing.T) {
	for name, mutate := range map[string]func(stream.Server) stream.Server{
		"results without expectation":  func(s stream.Server) stream.Server { return noExpectation{s, ".s.", `"kind":"result"`} },
		"attempts without expectation": func(s stream.Server) stream.Server { return noExpectation{s, ".s.", `"kind":"attempt"`} },
		"ledger without expectation":   func(s stream.Server) stream.Server { return noExpectation{s, ".l", ""} },
		"a refusal as success":         func(s stream.Server) stream.Server { return refusalIsAck{s} },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(300) {
				if len(simulate(t, seed, mutate).found) > 0 {
					return
				}
			}
			t.Error("no seed finds it")
		})
	}
}

const (
	simWorkers = 3
	// faultyTime is how long there are faults, and healedTime how long workers then have to finish the batch.
	faultyTime = 3 * time.Minute
	healedTime = 20 * time.Minute
	// firstDelay is how long a task waits at least for its second attempt.
	firstDelay = 10 * time.Second
)

// simulate runs one seed and returns what was found.
func simulate(t *testing.T, seed uint64, mutate func(stream.Server) stream.Server) (c *checker) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(seed, true)
		defer sim.Stop()
		c = &checker{answers: map[string]string{}, used: map[string]int{}}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { (&user{sim, mutate, rand.New(rand.NewPCG(seed, 99))}).run(ctx) })
		for n := range simWorkers {
			w := &worker{sim, mutate, c, rand.New(rand.NewPCG(seed, uint64(n+1))), fmt.Sprint("w", n)}
			running.Go(func() { w.run(ctx) })
		}
		_ = streamtest.Sleep(ctx, faultyTime)
		sim.Heal()
		observer := newSimHost(sim, nil)
		if mutate == nil {
			c.awaitEnd(ctx, observer)
		}
		stop()
		running.Wait()
		c.checkLogs(t.Context(), observer, sim)
		_ = observer.store.Close()
	})
	return c
}

// A checker knows what workers did.
type checker struct {
	mu      sync.Mutex        // guards the rest
	answers map[string]string // of results that Finish has reported as stored, by task and attempt
	used    map[string]int    // tool calls, by task and attempt
	found   []string

	attempts, lost, requeued, results, noBudget, repairs int
}

func (c *checker) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

func attemptName(task string, number int) string { return fmt.Sprintf("%s.%d", task, number) }

// began notes that a worker runs an attempt, in which it uses so much.
func (c *checker) began(a *batch.Attempt, used int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := attemptName(a.Task.ID, a.Number)
	if _, twice := c.used[name]; twice {
		c.found = append(c.found, "two workers run attempt "+name)
	}
	c.used[name] += used
}

// finished notes a result that is stored.
func (c *checker) finished(a *batch.Attempt, answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[attemptName(a.Task.ID, a.Number)] = answer
}

// awaitEnd waits until the batch is finished. A task that is not in the queue, since an acknowledgement was due to an
// answer from the past, is queued again by the same submission.
func (c *checker) awaitEnd(ctx context.Context, h simHost) {
	for end := time.Now().Add(healedTime); ; {
		s, err := h.batches.Load(ctx, simBatch)
		if err == nil && s.Report(time.Now()).Finished {
			return
		}
		if time.Now().After(end) {
			c.fail("the batch is not finished: %v", err)
			return
		}
		if err == nil && time.Until(end) < healedTime/2 && c.repairs == 0 {
			c.repairs++
			if _, err := h.batches.Submit(ctx, submission()); err != nil {
				c.fail("submit again: %v", err)
			}
		}
		_ = streamtest.Sleep(ctx, 5*time.Second)
	}
}

// checkLogs reads all logs: each task has one result a round, attempts are counted, and what was reported as stored is there.
func (c *checker) checkLogs(ctx context.Context, h simHost, sim *streamtest.Server) {
	stored := map[string]string{}
	begun := map[string]int{}
	states := map[string]*batch.TaskState{}
	for _, m := range sim.Messages(streamtest.Namespace.Batch(simBatch)) {
		e, after, err := decode(m)
		if err != nil {
			c.fail("%v", err)
			return
		}
		switch e.Log.Kind {
		case batch.LedgerLog:
			c.checkLedger(e)
		case batch.TaskLog:
			st := states[e.Log.Task]
			if st == nil {
				st = &batch.TaskState{}
				states[e.Log.Task] = st
			}
			if after != st.Number {
				c.fail("entry %d of %s follows %d, and expects %d", e.Number, e.Log.Task, st.Number, after)
			}
			before := *st
			if err := st.Apply(e); err != nil {
				c.fail("%v", err)
				return
			}
			c.checkTask(e, &before, st, begun, stored)
		}
	}
	for name, answer := range c.answers {
		if stored[name] != answer {
			c.fail("the result of %s is %q, and its worker stored %q", name, stored[name], answer)
		}
	}
	for name := range c.used {
		if begun[name] != 1 {
			c.fail("attempt %s was begun %d times", name, begun[name])
		}
	}
	spent := 0
	for _, used := range c.used {
		spent += used
	}
	if spent > batchLimit {
		c.fail("the attempts used %d of %d", spent, batchLimit)
	}
	if _, err := h.batches.Load(ctx, simBatch); err != nil && len(states) > 0 {
		c.fail("load: %v", err)
	}
}

// checkTask checks an entry of a task log.
func (c *checker) checkTask(e batch.Entry, before, now *batch.TaskState, begun map[string]int, stored map[string]string) {
	switch {
	case now.Attempt != before.Attempt:
		if now.Attempt != before.Attempt+1 {
			c.fail("attempt %d of %s follows attempt %d", now.Attempt, e.Log.Task, before.Attempt)
		}
		if before.Status == batch.Running || e.Time.Before(before.NotBefore) {
			c.fail("attempt %d of %s begins at %s, while the one before is %s and the task waits until %s", now.Attempt, e.Log.Task, e.Time, before.Status, before.NotBefore)
		}
		c.attempts++
		begun[attemptName(e.Log.Task, now.Attempt)]++
	case now.Status == batch.Queued && before.Status == batch.Running:
		c.requeued++
		if now.Cause == batch.CauseLost {
			c.lost++
		}
		if delay := now.NotBefore.Sub(before.Started); now.Cause != "" && delay < firstDelay<<(now.Used-1) {
			c.fail("%s waits %s after attempt %d, of which %d count", e.Log.Task, delay, now.Attempt, now.Used)
		}
	case now.Result != nil:
		c.results++
		if now.Status == batch.NoBudget {
			c.noBudget++
		}
		stored[attemptName(e.Log.Task, now.Result.Attempt)] = now.Result.Answer // 0: without an attempt
	}
	if now.Used > simAttempts {
		c.fail("%s has used %d attempts", e.Log.Task, now.Used)
	}
}

// checkLedger checks that what is spent and reserved is never more than the budget.
func (c *checker) checkLedger(e batch.Entry) {
	var l struct {
		Spent    batch.Budget            `json:"spent"`
		Reserved map[string]batch.Budget `json:"reserved"`
	}
	if err := json.Unmarshal(e.Data, &l); err != nil {
		c.fail("%v", err)
	}
	total := l.Spent.ToolCalls
	for _, r := range l.Reserved {
		total += r.ToolCalls
	}
	if total > batchLimit {
		c.fail("ledger %d has %d of %d", e.Number, total, batchLimit)
	}
}
