package journaltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// requester returns the store as one whose leases can be requested; the test is skipped if they cannot.
func requester(t *testing.T, s journal.Store) journal.LeaseRequester {
	t.Helper()
	r, ok := s.(journal.LeaseRequester)
	if !ok {
		t.Skip("leases of this store cannot be requested")
	}
	return r
}

// request requests a lease.
func request(t *testing.T, s journal.Store, id event.SessionID) (withdraw func()) {
	t.Helper()
	withdraw, err := requester(t, s).RequestLease(id)
	if err != nil {
		t.Fatalf("RequestLease: %v", err)
	}
	return withdraw
}

// await runs AwaitRequest in a goroutine, and returns its result.
func await(t *testing.T, s journal.Store, id event.SessionID) <-chan error {
	t.Helper()
	ctx, r := t.Context(), requester(t, s)
	done := make(chan error, 1)
	go func() { done <- r.AwaitRequest(ctx, id) }()
	return done
}

func wantRequested(t *testing.T, s journal.Store, id event.SessionID, want bool) {
	t.Helper()
	if got := requester(t, s).LeaseRequested(id); got != want {
		t.Errorf("LeaseRequested = %t, want %t", got, want)
	}
}

// testRequest hands a lease over, in both directions several times.
func testRequest(t *testing.T, env *testEnv) {
	s, other := env.open(t), env.open(t)
	requester(t, s)
	a := create(t, s, "a")
	release(t, a)
	b := lease(t, other, "a")
	release(t, b)
	acquire(t, a)
	holder, wanter := a, b
	stores := map[journal.Journal]journal.Store{a: s, b: other}
	for range 4 {
		wantRequested(t, stores[holder], "a", false)
		awaited := await(t, stores[holder], "a")
		request(t, stores[wanter], "a")
		request(t, stores[wanter], "a") // a repeat changes nothing
		if err := <-awaited; err != nil {
			t.Fatalf("AwaitRequest: %v", err)
		}
		if err := <-await(t, stores[holder], "a"); err != nil {
			t.Errorf("AwaitRequest of a request that is there: %v", err)
		}
		wantRequested(t, stores[holder], "a", true)
		wantLocked(t, wanter.Acquire(t.Context(), nil), os.Getpid())
		appendAll(t, holder, notes(2)...)
		release(t, holder)
		acquire(t, wanter)
		if wanter.Head() != holder.Head() {
			t.Fatalf("head %d, want %d", wanter.Head(), holder.Head())
		}
		holder, wanter = wanter, holder
	}
}

// testRequestEnds checks what ends a request, and the wait for one.
func testRequestEnds(t *testing.T, env *testEnv) {
	s, closing := env.open(t), env.open(t)
	requester(t, s)
	j := create(t, s, "a")
	withdraw := request(t, closing, "a")
	wantRequested(t, s, "a", true)
	withdraw()
	withdraw()
	wantRequested(t, s, "a", false)

	release(t, j)
	request(t, closing, "a")
	acquire(t, j)
	wantRequested(t, s, "a", false)
	release(t, j)
	request(t, closing, "a")
	closeOrFail(t, lease(t, s, "a"))
	wantRequested(t, s, "a", false)

	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { waiting <- requester(t, s).AwaitRequest(ctx, "a") }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("AwaitRequest after its context has ended: %v", err)
	}
	closed := await(t, closing, "a")
	closeOrFail(t, closing)
	if err := <-closed; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("AwaitRequest of a closed store: %v", err)
	}
	for _, id := range []event.SessionID{"b", "..", ""} {
		if _, err := requester(t, s).RequestLease(id); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("RequestLease of session %q: %v", id, err)
		}
		if err := requester(t, s).AwaitRequest(t.Context(), id); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("AwaitRequest of session %q: %v", id, err)
		}
		wantRequested(t, s, id, false)
	}
}

// testRequestsTogether lets several journals of one session request its lease from each other: each gets it
// as often as it wants, and no record is lost.
func testRequestsTogether(t *testing.T, env *testEnv) {
	s := env.open(t)
	requester(t, s)
	closeOrFail(t, create(t, s, "a"))
	const each = 10
	var group sync.WaitGroup
	var holders atomic.Int32
	journals := make([]journal.Journal, 4)
	for i := range journals {
		journals[i] = lease(t, s, "a")
		release(t, journals[i])
	}
	for _, j := range journals {
		group.Go(func() {
			for range each {
				err := acquireByRequest(t, s, j)
				if n := holders.Add(1); err == nil && n != 1 {
					t.Errorf("%d holders of one lease", n)
				}
				err = errors.Join(err, j.Append(j.Head(), notes(1)))
				holders.Add(-1)
				if err = errors.Join(err, j.Release()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	records, err := read(t, s, "a", 0)
	if err != nil || len(records) != 1+each*len(journals) {
		t.Errorf("Read = %d records, %v; want %d", len(records), err, 1+each*len(journals))
	}
}

// acquireByRequest acquires a lease that others release soon.
func acquireByRequest(t *testing.T, s journal.Store, j journal.Journal) error {
	for {
		err := j.Acquire(t.Context(), func(event.Record) error { return nil })
		if _, locked := errors.AsType[*journal.LockedError](err); !locked {
			return err
		}
		if _, err := s.(journal.LeaseRequester).RequestLease(j.ID()); err != nil {
			return fmt.Errorf("RequestLease: %w", err)
		}
	}
}

// testRequestAcrossProcesses requests the lease of another process.
func testRequestAcrossProcesses(t *testing.T, env *testEnv) {
	s := env.open(t)
	requester(t, s)
	j := create(t, s, "a")
	release(t, j)
	for range 2 {
		giver := env.start(t, roleGiver, "a")
		if got := giver.line(t); got != "held" {
			t.Fatalf("other process: %q, want held", got)
		}
		request(t, s, "a")
		if got := giver.line(t); got != "requested" {
			t.Fatalf("other process: %q, want requested", got)
		}
		wantLocked(t, j.Acquire(t.Context(), nil), giver.cmd.Process.Pid)
		if got, want := giver.requestAppend(t), fmt.Sprint(j.Head()); got != want {
			t.Errorf("head of the other process = %s, want %s", got, want)
		}
		giver.end(t)
		acquire(t, j)
		wantRequested(t, s, "a", false)
		appendAll(t, j, notes(1)...)
		release(t, j)
	}
}

// testRequestOfDeadProcess: the request of a process that has died costs the holder the lease once at most.
func testRequestOfDeadProcess(t *testing.T, env *testEnv) {
	s := env.open(t)
	requester(t, s)
	j := create(t, s, "a")
	awaited := await(t, s, "a")
	other := env.start(t, roleRequester, "a")
	if got := other.line(t); got != "requested" {
		t.Fatalf("other process: %q, want requested", got)
	}
	kill(t, other)
	if err := <-awaited; err != nil {
		t.Fatalf("AwaitRequest: %v", err)
	}
	release(t, j)
	wantRequested(t, s, "a", true)
	acquire(t, j)
	wantRequested(t, s, "a", false)
	appendAll(t, j, notes(1)...)
}

// testRequestFromDeadHolder: a holder dies when it has got the request, and its lease is free.
func testRequestFromDeadHolder(t *testing.T, env *testEnv) {
	s := env.open(t)
	requester(t, s)
	j := create(t, s, "a")
	release(t, j)
	giver := env.start(t, roleGiver, "a")
	if got := giver.line(t); got != "held" {
		t.Fatalf("other process: %q, want held", got)
	}
	request(t, s, "a")
	if got := giver.line(t); got != "requested" {
		t.Fatalf("other process: %q, want requested", got)
	}
	kill(t, giver)
	env.acquireOfDead(t, j)
	wantRequested(t, s, "a", false)
	appendAll(t, j, notes(1)...)
}

// kill kills a process and waits for its end.
func kill(t *testing.T, p *process) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err == nil {
		t.Fatal("killed process ends well")
	}
}
