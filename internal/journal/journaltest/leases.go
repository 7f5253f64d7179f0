package journaltest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/racetest"
)

func wantLocked(t *testing.T, err error, pid int) {
	t.Helper()
	locked, ok := errors.AsType[*journal.LockedError](err)
	if !ok {
		t.Fatalf("error = %v, want a *LockedError", err)
	}
	if locked.PID != pid {
		t.Errorf("locked by process %d, want %d", locked.PID, pid)
	}
}

func testLease(t *testing.T, env *testEnv) {
	s, other := env.open(t), env.open(t)
	j := create(t, s, "a")
	for _, store := range []journal.Store{s, other} {
		_, err := store.Lease(t.Context(), "a")
		wantLocked(t, err, os.Getpid())
		wantLocked(t, store.Remove(t.Context(), "a"), os.Getpid())
		wantRecords(t, store, "a", []event.Record{created("a")})
	}
	closeOrFail(t, j)
	j = lease(t, other, "a")
	_, err := s.Lease(t.Context(), "a")
	wantLocked(t, err, os.Getpid())
	appendAll(t, j, notes(1)...)
	closeOrFail(t, j)
	if head := lease(t, s, "a").Head(); head != 2 {
		t.Errorf("Head = %d, want 2", head)
	}
}

func testLeaseAcrossProcesses(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	refused := env.start(t, roleHolder, "a")
	if got, want := refused.line(t), fmt.Sprintf("locked by %d", os.Getpid()); got != want {
		t.Errorf("other process: %q, want %q", got, want)
	}
	if err := refused.cmd.Wait(); err == nil {
		t.Errorf("refused process ends well")
	}
	closeOrFail(t, j)

	holder := env.start(t, roleHolder, "a")
	if got := holder.line(t); got != "held" {
		t.Fatalf("other process: %q, want held", got)
	}
	_, err := s.Lease(t.Context(), "a")
	wantLocked(t, err, holder.cmd.Process.Pid)
	wantLocked(t, s.Remove(t.Context(), "a"), holder.cmd.Process.Pid)
	if got := holder.requestAppend(t); got != "2" {
		t.Errorf("head of the other process = %s, want 2", got)
	}
	wantRecords(t, s, "a", numbered(0, []event.Record{created("a"), note(1)}))
	holder.end(t)
	if head := lease(t, s, "a").Head(); head != 2 {
		t.Errorf("Head = %d, want 2", head)
	}
}

// testLeaseRace acquires one lease from many goroutines: one at a time has it.
func testLeaseRace(t *testing.T, env *testEnv) {
	s := env.open(t)
	closeOrFail(t, create(t, s, "a"))
	var group sync.WaitGroup
	var holders, got atomic.Int32
	for range 8 {
		group.Go(func() {
			for range 40 {
				j, err := s.Lease(t.Context(), "a")
				if _, locked := errors.AsType[*journal.LockedError](err); locked {
					continue
				}
				if err != nil {
					t.Errorf("Lease: %v", err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders of one lease", n)
				}
				got.Add(1)
				err = j.Append(j.Head(), notes(1))
				holders.Add(-1)
				if err := errors.Join(err, j.Close()); err != nil {
					t.Errorf("Append, Close: %v", err)
				}
			}
		})
	}
	group.Wait()
	if records, err := read(t, s, "a", 0); err != nil || len(records) != 1+int(got.Load()) {
		t.Errorf("Read = %d records, %v; want %d", len(records), err, 1+got.Load())
	}
}

// testRemoveRace creates and removes one session concurrently: each successful Create has a complete
// session.
func testRemoveRace(t *testing.T, env *testEnv) {
	s := env.open(t)
	var creating, removing sync.WaitGroup
	allCreated := make(chan struct{})
	for range 4 {
		creating.Go(func() {
			for done := 0; done < racetest.Size(10, 5) && !t.Failed(); {
				switch err := createAndClose(t, s); {
				case err == nil:
					done++
				case !errors.Is(err, journal.ErrExists):
					t.Error(err)
				}
			}
		})
		removing.Go(func() {
			for {
				select {
				case <-allCreated:
					return
				default:
				}
				err := s.Remove(t.Context(), "a")
				if _, locked := errors.AsType[*journal.LockedError](err); err != nil && !locked && !errors.Is(err, journal.ErrNotFound) {
					t.Errorf("Remove: %v", err)
				}
			}
		})
	}
	creating.Wait()
	close(allCreated)
	removing.Wait()
}

func createAndClose(t *testing.T, s journal.Store) error {
	j, err := s.Create(t.Context(), "a", []event.Record{created("a")})
	if err != nil {
		return err
	}
	return errors.Join(j.Append(1, notes(3)), j.Sync(), j.Close())
}

// testKill kills a process while it appends: all records that it acknowledged exist.
func testKill(t *testing.T, env *testEnv) {
	s := env.open(t)
	closeOrFail(t, create(t, s, "a"))
	acknowledged := 1
	for _, lines := range []int{1, 10, 100, 1000} {
		writer := env.start(t, roleWriter, "a")
		for range lines {
			acknowledged = number(t, writer.line(t))
		}
		if err := writer.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for last := writer.line(t); last != ""; last = writer.line(t) {
			acknowledged = number(t, last)
		}
		if err := writer.cmd.Wait(); err == nil {
			t.Fatalf("killed process ends well")
		}
		j := env.leaseOfDead(t, s, "a")
		if j.Head() < uint64(acknowledged) {
			t.Errorf("Head = %d after record %d was acknowledged", j.Head(), acknowledged)
		}
		records, err := read(t, s, "a", 0)
		if err != nil || uint64(len(records)) != j.Head() {
			t.Errorf("Read = %d records, %v; want %d", len(records), err, j.Head())
		}
		closeOrFail(t, j)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("process says %q", text)
	}
	return n
}
