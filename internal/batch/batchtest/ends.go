package batchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley.dev/parley/internal/batch"
)

func cancels(e *env) {
	b := impatient(e.open())
	e.submit(b, tasks(4, nil))
	running, other := e.claim(b, "w"), e.claim(b, "w")
	stopped := make(chan error, 1)
	go func() { stopped <- running.AwaitCancel(e.ctx) }()
	n, err := impatient(e.open()).Cancel(e.ctx, "x", []string{"t000", "t002"})
	e.must(err)
	e.must(<-stopped)
	if r := e.report(b); n != 2 || r.Cancelled != 1 || r.Running != 2 || r.Queued != 1 {
		e.Errorf("%d cancelled: %+v", n, r)
	}
	ctx, end := context.WithCancel(e.ctx)
	end()
	e.want(other.AwaitCancel(ctx), context.Canceled)
	e.finish(running, batch.Outcome{Status: batch.Cancelled, Message: "cancelled", CostUSD: 1})
	_, err = b.Cancel(e.ctx, "x", nil)
	e.must(err)
	e.finish(other, batch.Outcome{Status: batch.Cancelled})
	if r := e.report(b); r.Cancelled != 4 || !r.Finished || r.AllDone() {
		e.Errorf("%+v", r)
	}
	_, err = b.Cancel(e.ctx, "x", []string{"none"})
	e.want(err, batch.ErrNotFound)
	n, err = b.Retry(e.ctx, "x", []string{"t002"}, nil) // a cancellation counts for the round before
	e.must(err)
	if a := e.claim(b, "w"); n != 1 || a.Task.ID != "t002" {
		e.Errorf("%d retried, %s runs", n, a.Task.ID)
	}
}

func retries(e *env) {
	b := impatient(e.open())
	e.submit(b, tasks(3, func(t *batch.Task) { t.Attempts = 1 }))
	e.finish(e.claim(b, "w"), done)
	e.finish(e.claim(b, "w"), batch.Outcome{Status: batch.Failed, Cause: batch.CauseTurn})
	e.finish(e.claim(b, "w"), batch.Outcome{Status: batch.Failed, Cause: batch.CauseProvider})
	if r := e.report(b); r.Done != 1 || r.Failed != 1 || r.Dead != 1 {
		e.Errorf("%+v", r)
	}
	n, err := b.Retry(e.ctx, "x", nil, []batch.Status{batch.Failed, batch.Dead})
	e.must(err)
	if r := e.report(b); n != 2 || r.Queued != 2 || r.Done != 1 || r.Finished {
		e.Errorf("%d retried: %+v", n, r)
	}
	_, err = b.Retry(e.ctx, "x", []string{"t000", "t001"}, nil)
	if err == nil || e.report(b).Done != 1 {
		e.Errorf("a queued task was retried: %v", err)
	}
	e.want(b.Remove(e.ctx, "x"), batch.ErrUnfinished)
	for range 2 {
		if a := e.claim(b, "w"); a.Number != 2 {
			e.Errorf("attempt %d after a retry", a.Number)
		} else {
			e.finish(a, done)
		}
	}
	if r := e.report(b); !r.AllDone() {
		e.Errorf("%+v", r)
	}
	e.must(b.Remove(e.ctx, "x"))
	e.want(b.Remove(e.ctx, "x"), batch.ErrNotFound)
}

// retryBeforeAck: a task that is retried before its worker has acknowledged the result stays in the queue.
func retryBeforeAck(e *env) {
	s := e.open()
	b := impatient(s)
	e.submit(b, tasks(1, nil))
	late := &lateAck{Delivery: e.pull(s, "q")}
	late.before = func() {
		_, err := b.Retry(e.ctx, "x", []string{"t000"}, nil)
		e.must(err)
	}
	a, err := b.Claim(e.ctx, late, batch.Worker{ID: "w"})
	e.must(err)
	e.finish(a, done)
	if a := e.claim(b, "w"); a.Number != 2 {
		e.Errorf("attempt %d", a.Number)
	}
}

// A lateAck does something before it acknowledges.
type lateAck struct {
	batch.Delivery
	before func()
}

func (l *lateAck) Ack(ctx context.Context) error {
	l.before()
	return l.Delivery.Ack(ctx)
}

// budgets: what attempts reserve and use together is never more than the budget of the batch.
func budgets(e *env) {
	s := e.open()
	b := impatient(s)
	limit := func(n int) batch.Budget { return batch.Budget{ToolCalls: n} }
	list := tasks(6, func(t *batch.Task) { t.Budget = limit(4) })
	sub := batch.Submission{ID: "x", Queue: "q", Budget: limit(10), Tasks: list}
	_, err := b.Submit(e.ctx, batch.Submission{ID: "y", Budget: batch.Budget{Cost: 1}, Tasks: list})
	if err == nil {
		e.Error("a budget that tasks do not have was taken")
	}
	_, err = b.Submit(e.ctx, sub)
	e.must(err)
	first, second := e.claim(b, "w"), e.claim(b, "w")
	if a, err := b.Claim(e.ctx, e.pull(s, "q"), batch.Worker{ID: "w"}); err != nil || a != nil {
		e.Errorf("a third attempt began: %v", err) // 8 of 10 are reserved
	}
	e.finish(first, batch.Outcome{Status: batch.Done, ToolCalls: 1})
	third := e.claim(b, "w") // 1 + 4 + 4
	e.finish(second, batch.Outcome{Status: batch.Done, ToolCalls: 4})
	e.finish(third, batch.Outcome{Status: batch.Failed, Cause: batch.CauseVerify, ToolCalls: 1})
	fourth := e.claim(b, "w") // 6 + 4
	e.finish(fourth, batch.Outcome{Status: batch.Done, ToolCalls: 1})
	for !e.report(b).Finished { // 7 + 4 is too much
		if a, err := b.Claim(e.ctx, e.pull(s, "q"), batch.Worker{ID: "w"}); err != nil || a != nil {
			e.Fatalf("an attempt began: %v", err)
		}
	}
	if r := e.report(b); r.Done != 3 || r.Failed != 1 || r.NoBudget != 2 {
		e.Errorf("%+v", r)
	}
}

// largeValues: tasks, patches and results that are larger than an entry.
func largeValues(e *env) {
	b := impatient(e.open())
	prompt := string(bytes.Repeat([]byte("long prompt\n"), 80_000))
	e.submit(b, tasks(2, func(t *batch.Task) {
		if t.ID == "t000" {
			t.Prompt = prompt
		}
	}))
	a := e.claim(b, "w")
	if a.Task.Prompt != prompt {
		e.Errorf("the prompt has %d bytes", len(a.Task.Prompt))
	}
	text := bytes.Repeat([]byte("+\xff\x00\n"), 100_000)
	var files []batch.FileChange
	for i := range 10_000 {
		files = append(files, batch.FileChange{Path: fmt.Sprintf("a/rather/long/path/of/a/file/%d", i), Op: "change", Added: 1})
	}
	e.finish(a, batch.Outcome{
		Status: batch.Done, Answer: string(bytes.Repeat([]byte("é"), batch.MaxAnswer)), Text: text,
		Patch: &batch.Patch{Bytes: len(text), SHA256: batch.Address(text), Files: files},
	})
	small := []byte("small\n")
	e.finish(e.claim(b, "w"), batch.Outcome{Status: batch.Done, Text: small, Patch: &batch.Patch{Bytes: len(small), SHA256: batch.Address(small)}})
	s, err := b.Load(e.ctx, "x")
	e.must(err)
	for id, want := range map[string][]byte{"t000": text, "t001": small} {
		got, err := b.PatchText(e.ctx, s.Tasks[id])
		e.must(err)
		if !bytes.Equal(got, want) {
			e.Errorf("the patch of %s has %d bytes", id, len(got))
		}
	}
	r, err := b.Result(e.ctx, s.Tasks["t000"])
	e.must(err)
	if len(r.Answer) > batch.MaxAnswer || len(r.Answer) < batch.MaxAnswer-8 || len(r.Patch.Files) != len(files) {
		e.Errorf("an answer of %d bytes, %d files", len(r.Answer), len(r.Patch.Files))
	}
	for _, other := range []batch.Task{{ID: "t000", Prompt: "?"}} {
		_, err := b.Submit(e.ctx, batch.Submission{ID: "x", Tasks: []batch.Task{other, tasks(2, nil)[1]}})
		if mismatch, ok := errors.AsType[*batch.MismatchError](err); !ok || !slices.Equal(mismatch.Tasks, []string{"t000"}) {
			e.Error(err)
		}
	}
}
