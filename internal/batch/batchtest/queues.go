package batchtest

import (
	"fmt"
	"slices"
	"time"

	"parley.dev/parley/internal/batch"
)

func refs(queue, id string, n int) (refs []batch.Ref) {
	for i := range n {
		refs = append(refs, batch.Ref{Queue: queue, Batch: id, Task: fmt.Sprintf("t%03d", i)})
	}
	return refs
}

func queue(e *env) {
	a, b := e.open(), e.open()
	all := refs("q", "x", 3)
	e.must(a.Enqueue(e.ctx, all))
	e.must(b.Enqueue(e.ctx, all)) // they are there
	e.must(b.Enqueue(e.ctx, refs("other", "x", 1)))
	first, second := e.pull(a, "q"), e.pull(b, "q")
	third := e.pull(a, "none", "q")
	if first.Ref() != all[0] || second.Ref() != all[1] || third.Ref() != all[2] {
		e.Errorf("pulled %v, %v, %v", first.Ref(), second.Ref(), third.Ref())
	}
	e.must(a.Enqueue(e.ctx, all)) // delivered, and still there
	e.nothing(b, "q")
	e.must(first.Ack(e.ctx))
	e.must(first.Ack(e.ctx)) // twice
	e.must(b.Enqueue(e.ctx, all[:1]))
	again := e.pull(b, "q")
	if again.Ref() != all[0] {
		e.Errorf("pulled %v after an acknowledgement", again.Ref())
	}
	e.must(again.Ack(e.ctx))
	e.must(second.Nak(e.ctx, 0))
	if back := e.pull(b, "q"); back.Ref() != all[1] {
		e.Errorf("pulled %v, which was not returned", back.Ref())
	}
	start := time.Now()
	e.must(third.Nak(e.ctx, 300*time.Millisecond))
	if late := e.pull(a, "q"); late.Ref() != all[2] || time.Since(start) < 300*time.Millisecond {
		e.Errorf("pulled %v after %s", late.Ref(), time.Since(start))
	}
	if other := e.pull(a, "other", "q"); other.Ref().Queue != "other" {
		e.Errorf("pulled %v", other.Ref())
	}
}

// redelivery: a task that is not extended is delivered again after Visibility, and the first delivery has no effect any more.
func redelivery(e *env) {
	a, b := e.open(), e.open()
	e.must(a.Enqueue(e.ctx, refs("q", "x", 1)))
	start := time.Now()
	first := e.pull(a, "q")
	second := e.pull(b, "q")
	if waited := time.Since(start); waited < b.Visibility()*9/10 || second.Ref() != first.Ref() {
		e.Errorf("%v was delivered again after %s", second.Ref(), waited)
	}
	e.must(second.Ack(e.ctx))
	e.nothing(a, "q")
}

// extends: what is extended is not delivered to others.
func extends(e *env) {
	a, b := e.open(), e.open()
	e.must(a.Enqueue(e.ctx, refs("q", "x", 1)))
	d := e.pull(a, "q")
	for end := time.Now().Add(2 * a.Visibility()); time.Now().Before(end); {
		e.must(d.Extend(e.ctx))
		e.nothing(b, "q") // which waits for a part of Visibility
	}
}

func closedStores(e *env) {
	a, b := e.medium.Open(e.T, e.visibility), e.open()
	e.must(a.Enqueue(e.ctx, refs("q", "x", 1)))
	e.pull(a, "q")
	e.must(a.Close())
	e.must(a.Close())
	if d := e.pull(b, "q"); d.Ref().Task != "t000" {
		e.Errorf("pulled %v", d.Ref())
	}
	_, err := a.Pull(e.ctx, []string{"q"})
	e.want(err, batch.ErrClosed)
	_, err = a.Append(e.ctx, taskLog("x", "t"), 0, nil)
	e.want(err, batch.ErrClosed)
	_, err = a.Last(e.ctx, taskLog("x", "t"))
	e.want(err, batch.ErrClosed)
	e.want(a.Enqueue(e.ctx, nil), batch.ErrClosed)
}

// turns: a small batch does not wait for a large one that came first.
func turns(e *env) {
	s := e.open()
	e.must(s.Enqueue(e.ctx, refs("q", "large", 300)))
	var served []string
	for range 4 {
		served = append(served, e.pull(s, "q").Ref().Batch)
	}
	e.must(s.Enqueue(e.ctx, refs("q", "small", 5)))
	e.must(s.Enqueue(e.ctx, refs("q", "third", 5)))
	for range 15 {
		served = append(served, e.pull(s, "q").Ref().Batch)
	}
	for _, name := range []string{"small", "third"} {
		if n := count(served, name); n != 5 {
			e.Errorf("%d of 5 tasks of the batch %s were served: %q", n, name, served)
		}
	}
	if last := slices.Index(served, "small"); last > 6 {
		e.Errorf("a small batch waited: %q", served)
	}
}

func count(list []string, name string) (n int) {
	for _, s := range list {
		if s == name {
			n++
		}
	}
	return n
}

// backlog: the length of a queue counts tasks of every process.
func backlog(e *env) {
	a, b := e.open(), e.open()
	want := func(after, queue string, queued, running int) {
		e.Helper()
		for _, s := range []batch.Store{a, b} {
			got, err := s.(batch.QueueMeter).Backlog(e.ctx, queue)
			e.must(err)
			if want := (batch.Backlog{Queued: queued, Running: running}); got != want {
				e.Errorf("after %s: the queue has %+v, want %+v", after, got, want)
			}
		}
	}
	want("nothing", "q", 0, 0)
	e.must(a.Enqueue(e.ctx, refs("q", "x", 3)))
	e.must(a.Enqueue(e.ctx, refs("q", "y", 2)))
	e.must(a.Enqueue(e.ctx, refs("other", "x", 1)))
	want("5 tasks", "q", 5, 0)
	d := e.pull(b, "q")
	e.must(d.Extend(e.ctx)) // the counts follow at once
	want("a delivery", "q", 4, 1)
	e.must(d.Ack(e.ctx))
	want("an acknowledgement", "q", 4, 0)
	want("work in another queue", "other", 1, 0)
}
