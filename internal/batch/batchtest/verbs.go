package batchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"parley.dev/parley/internal/batch"
)

// This file holds the verbs of package batch, which are written once, to their promises on each driver.

// tasks returns n tasks with their defaults, changed by change.
func tasks(n int, change func(*batch.Task)) []batch.Task {
	var list []batch.Task
	for i := range n {
		t := batch.Task{
			ID: fmt.Sprintf("t%03d", i), Prompt: "do it", Sandbox: batch.DefaultSandbox, Timeout: batch.Duration(time.Minute),
			Attempts: batch.DefaultAttempts, RetryOn: batch.DefaultRetryOn(),
		}
		if change != nil {
			change(&t)
		}
		list = append(list, t)
	}
	return list
}

// retryDelay is the first delay of further attempts in tests of drivers, whose clocks are real.
const retryDelay = 20 * time.Millisecond

// impatient returns the batches of a store whose tasks are tried again soon.
func impatient(s batch.Store) *batch.Batches { return batch.NewWithDelay(s, retryDelay) }

// submit submits tasks as batch x in queue q.
func (e *env) submit(b *batch.Batches, list []batch.Task) {
	e.Helper()
	_, err := b.Submit(e.ctx, batch.Submission{ID: "x", Queue: "q", Tasks: list})
	e.must(err)
}

// report returns the numbers of batch x.
func (e *env) report(b *batch.Batches) batch.Report {
	e.Helper()
	s, err := b.Load(e.ctx, "x")
	e.must(err)
	return s.Report(time.Now())
}

// claim pulls until there is something to run.
func (e *env) claim(b *batch.Batches, worker string) *batch.Attempt {
	e.Helper()
	for {
		d := e.pull(b.Store(), "q")
		a, err := b.Claim(e.ctx, d, batch.Worker{ID: worker})
		e.must(err)
		if a != nil {
			return a
		}
	}
}

func (e *env) finish(a *batch.Attempt, o batch.Outcome) batch.Ended {
	e.Helper()
	ended, err := a.Finish(e.ctx, o)
	e.must(err)
	return ended
}

var done = batch.Outcome{Status: batch.Done, Answer: "fine", Usage: batch.Usage{Input: 3, Output: 2}, CostUSD: 0.25, ToolCalls: 1}

// A failing store fails all writes after the first so many, as if the process were killed.
type failing struct {
	batch.Store
	writes int
}

var errKilled = errors.New("killed")

func (f *failing) write() error {
	if f.writes == 0 {
		return errKilled
	}
	f.writes--
	return nil
}

func (f *failing) Append(ctx context.Context, log batch.Log, after uint64, data []byte) (uint64, error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	return f.Store.Append(ctx, log, after, data)
}

// Create stores entries one by one: a driver may be interrupted between them.
func (f *failing) Create(ctx context.Context, entries []batch.Entry) (created []bool, err error) {
	for _, entry := range entries {
		if err := f.write(); err != nil {
			return nil, err
		}
		made, err := f.Store.Create(ctx, []batch.Entry{entry})
		if err != nil {
			return nil, err
		}
		created = append(created, made...)
	}
	return created, nil
}

func (f *failing) Enqueue(ctx context.Context, refs []batch.Ref) error {
	for _, ref := range refs {
		if err := f.write(); err != nil {
			return err
		}
		if err := f.Store.Enqueue(ctx, []batch.Ref{ref}); err != nil {
			return err
		}
	}
	return nil
}

// submitInterrupted: a submission that is killed after any write is finished by the same one, and each task runs once.
func submitInterrupted(e *env) {
	list := tasks(3, nil)
	for writes := 0; ; writes++ {
		s := e.open()
		id := fmt.Sprintf("x%d", writes)
		sub := batch.Submission{ID: id, Queue: id, Tasks: list}
		_, err := impatient(&failing{s, writes}).Submit(e.ctx, sub)
		again, err2 := impatient(s).Submit(e.ctx, sub)
		e.must(err2)
		if again.Tasks != len(list) {
			e.Errorf("%+v", again)
		}
		ran := map[string]int{}
		b := impatient(s)
		for range list {
			a, err := b.Claim(e.ctx, e.pull(s, id), batch.Worker{ID: "w"})
			e.must(err)
			ran[a.Task.ID]++
			e.finish(a, done)
		}
		e.nothing(s, id)
		if len(ran) != len(list) {
			e.Errorf("after %d writes these ran: %v", writes, ran)
		}
		if err == nil {
			if want := 1 + 2*len(list); writes != want {
				e.Errorf("a submission has %d writes, want %d", writes, want)
			}
			return
		}
		e.want(err, errKilled)
	}
}

func submitAgain(e *env) {
	b := impatient(e.open())
	list := tasks(3, nil)
	for i, want := range []int{3, 0} {
		got, err := b.Submit(e.ctx, batch.Submission{Tasks: list})
		e.must(err)
		if len(got.Batch) != 12 || got.Tasks != 3 || got.New != want {
			e.Errorf("submission %d: %+v", i, got)
		}
	}
	e.submit(b, list)
	other := tasks(4, func(t *batch.Task) {
		if t.ID == "t001" {
			t.Prompt = "something else"
		}
	})
	_, err := b.Submit(e.ctx, batch.Submission{ID: "x", Tasks: other})
	mismatch, ok := errors.AsType[*batch.MismatchError](err)
	if !ok || !slices.Equal(mismatch.Tasks, []string{"t001", "t003"}) {
		e.Errorf("another definition: %v", err)
	}
	for _, s := range []batch.Submission{
		{ID: "x", Queue: "other", Tasks: list},
		{ID: "x", Tasks: list[:2]},
		{ID: "x", Tasks: []batch.Task{list[1], list[0], list[2]}},
	} {
		_, err := b.Submit(e.ctx, s)
		if _, ok := errors.AsType[*batch.MismatchError](err); !ok {
			e.Errorf("%+v: %v", s, err)
		}
	}
	if r := e.report(b); r.Tasks != 3 || r.Queued != 3 {
		e.Errorf("%+v", r)
	}
	_, err = b.Load(e.ctx, "none")
	e.want(err, batch.ErrNotFound)
}

// workersThatDie: whatever workers leave, each task gets one result.
func workersThatDie(e *env) {
	const n = 40
	b := impatient(e.open())
	e.submit(b, tasks(n, func(t *batch.Task) { t.Attempts = 100 }))
	var wg sync.WaitGroup
	for w := range 4 {
		random := rand.New(rand.NewPCG(uint64(w), 7))
		wg.Go(func() {
			for life := 0; ; life++ {
				if !e.life(random, fmt.Sprintf("w%d.%d", w, life)) {
					return
				}
			}
		})
	}
	wg.Wait()
	s, err := b.Load(e.ctx, "x")
	e.must(err)
	if r := s.Report(time.Now()); r.Done != n {
		e.Errorf("%+v", r)
	}
	for _, t := range s.Sorted() {
		results := 0
		for entry, err := range b.Store().Entries(e.ctx, taskLog("x", t.ID), 0) {
			e.must(err)
			if bytes.Contains(entry.Data, []byte(`"kind":"result"`)) {
				results++
			}
		}
		if results != 1 {
			e.Errorf("task %s has %d results", t.ID, results)
		}
	}
}

// life is a worker from its start to its death, which can come after any write. It returns false when the batch is finished.
func (e *env) life(random *rand.Rand, name string) bool {
	own := e.medium.Open(e.T, e.visibility)
	defer own.Close() //nolint:errcheck // it only releases
	b := impatient(&failing{own, 3 + random.IntN(30)})
	for {
		s, err := b.Load(e.ctx, "x")
		if err != nil {
			e.Error(err)
			return false
		}
		if s.Report(time.Now()).Finished {
			return false
		}
		ctx, cancel := context.WithTimeout(e.ctx, quiet)
		d, err := own.Pull(ctx, []string{"q"})
		cancel()
		if err != nil {
			continue
		}
		a, err := b.Claim(e.ctx, d, batch.Worker{ID: name})
		if err == nil && a != nil {
			_, err = a.Finish(e.ctx, done)
		}
		if err != nil {
			return true // killed
		}
	}
}

// claimsRace: a task that two workers were given is run by one, or by none if the second takes the first for lost: then it is run
// when the next worker has it alone.
func claimsRace(e *env) {
	b := impatient(e.open())
	const n = 10
	e.submit(b, tasks(n, nil))
	raced := map[string]bool{}
	for finished := 0; finished < n; {
		d := e.pull(b.Store(), "q")
		workers := 2
		if raced[d.Ref().Task] {
			workers = 1
		}
		raced[d.Ref().Task] = true
		var wg sync.WaitGroup
		var mu sync.Mutex
		var attempts []*batch.Attempt
		for range workers {
			other := impatient(e.open())
			wg.Go(func() {
				a, err := other.Claim(e.ctx, d, batch.Worker{ID: "w"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					e.Error(err)
				}
				if a != nil {
					attempts = append(attempts, a)
				}
			})
		}
		wg.Wait()
		if len(attempts) > 1 {
			e.Fatalf("%d attempts were begun", len(attempts))
		}
		for _, a := range attempts {
			_, err := a.Finish(e.ctx, done)
			if err == nil {
				finished++
			} else if !errors.Is(err, batch.ErrFenced) {
				e.Error(err)
			}
		}
	}
	if r := e.report(b); r.Done != n {
		e.Errorf("%+v", r)
	}
}

// lostAttempt: the attempt of a worker that is lost is ended by the next delivery, counts, and is tried again after its delay.
func lostAttempt(e *env) {
	s := e.open()
	b := batch.New(s)
	e.submit(b, tasks(1, nil))
	begin := time.Now()
	lost := e.claim(b, "lost")
	if a, err := b.Claim(e.ctx, e.pull(s, "q"), batch.Worker{ID: "w"}); err != nil || a != nil { // after Visibility
		e.Fatalf("another attempt began at once: %v", err)
	}
	_, err := lost.Finish(e.ctx, done)
	e.want(err, batch.ErrFenced)
	state, err := b.Load(e.ctx, "x")
	e.must(err)
	t := state.Tasks["t000"]
	if t.Status != batch.Queued || t.Used != 1 || t.Cause != batch.CauseLost {
		e.Errorf("%+v", t)
	}
	e.delayed(t, begin)
	e.nothing(s, "q")
	n, err := b.Cancel(e.ctx, "x", nil)
	e.must(err)
	if r := e.report(b); n != 1 || r.Cancelled != 1 {
		e.Errorf("%d cancelled while it waits: %+v", n, r)
	}
}

// fencedAttempt: a worker that was paused while another took its task can store nothing.
func fencedAttempt(e *env) {
	b := impatient(e.open())
	e.submit(b, tasks(1, nil))
	paused := e.claim(b, "paused")
	next := e.claim(b, "next") // after Visibility
	if next.Number != 2 || !next.Recovered {
		e.Errorf("attempt %d, recovered: %t", next.Number, next.Recovered)
	}
	e.want(paused.Extend(e.ctx), batch.ErrFenced)
	e.want(paused.Pin(e.ctx, "c0ffee"), batch.ErrFenced)
	e.want(paused.GiveBack(e.ctx, batch.Outcome{}), batch.ErrFenced)
	_, err := paused.Finish(e.ctx, done)
	e.want(err, batch.ErrFenced)
	e.must(next.Pin(e.ctx, "c0ffee"))
	e.must(next.Extend(e.ctx))
	e.finish(next, done)
	s, err := b.Load(e.ctx, "x")
	e.must(err)
	if r := s.Tasks["t000"].Result; r.Worker != "next" || r.Attempt != 2 || r.Commit != "c0ffee" || r.Session != "b-x-t000-2" {
		e.Errorf("%+v", r)
	}
}

func deadLetters(e *env) {
	begin, s := time.Now(), e.open()
	b, quick := batch.New(s), impatient(s)
	e.submit(b, tasks(5, func(t *batch.Task) {
		t.Attempts = 2
		switch t.ID {
		case "t001": // which retries nothing
			t.RetryOn = []batch.Cause{}
		case "t004":
			t.Labels = map[string]string{"os": "plan9"}
		}
	}))
	// t000 fails in a way that is retried, t001 in one that is not, t002 loses all its workers, t003 is given back.
	e.finish(e.claim(b, "w"), batch.Outcome{Status: batch.Failed, Cause: batch.CauseProvider, Message: "busy", CostUSD: 0.5})
	e.finish(e.claim(b, "w"), batch.Outcome{Status: batch.Failed, Cause: batch.CauseSetup, Message: "no disk"})
	e.claim(b, "dead")
	for range 3 {
		a := e.claim(b, "w")
		if a.Task.ID != "t003" {
			e.Fatalf("%s comes in place of t003", a.Task.ID)
		}
		e.must(a.GiveBack(e.ctx, batch.Outcome{}))
	}
	e.finish(e.claim(b, "w"), batch.Outcome{Status: batch.Failed, Cause: batch.CauseVerify, Message: "exit 1", Answer: "?"})
	if again := e.claim(quick, "dead, too"); again.Task.ID != "t002" || again.Number != 2 {
		e.Errorf("%s, attempt %d", again.Task.ID, again.Number)
	}
	for { // the next delivery of t002 ends it
		a, err := b.Claim(e.ctx, e.pull(s, "q"), batch.Worker{ID: "w"})
		e.must(err)
		if a != nil {
			e.Fatalf("%s runs", a.Task.ID)
		}
		if e.report(b).Dead == 1 {
			break
		}
	}
	state, err := b.Load(e.ctx, "x")
	e.must(err)
	for id, want := range map[string]string{
		"t000": "queued 1 provider", "t001": "failed 1 setup", "t002": "dead 2 lost", "t003": "failed 4 verify", "t004": "queued 0 ",
	} {
		t := state.Tasks[id]
		kind := string(t.Cause)
		if t.Result != nil {
			kind = t.Result.Error.Kind
		}
		if got := fmt.Sprintf("%s %d %s", t.Status, t.Attempt, kind); got != want {
			e.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	e.delayed(state.Tasks["t000"], begin)
	if r := state.Report(time.Now()); r.CostUSD != 0.5 {
		e.Errorf("the cost of a lost attempt is missing: %+v", r)
	}
	if d, err := b.Claim(e.ctx, labelled{e, s}, batch.Worker{ID: "w", Labels: map[string]string{"os": "plan9"}}); err != nil || d.Task.ID != "t004" {
		e.Errorf("%v: %v", d, err)
	}
}

// labelled is the delivery of t004, which waits for a worker with its label.
type labelled struct {
	e *env
	s batch.Store
}

func (l labelled) Ref() batch.Ref                         { return batch.Ref{Queue: "q", Batch: "x", Task: "t004"} }
func (labelled) Extend(context.Context) error             { return nil }
func (labelled) Ack(context.Context) error                { return nil }
func (labelled) Nak(context.Context, time.Duration) error { return nil }
