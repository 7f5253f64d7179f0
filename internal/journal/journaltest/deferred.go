package journaltest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// durable returns j; of a deferred store, a journal whose Append also waits until the records are stored,
// since the suite reads at once what it has appended.
func durable(s journal.Store, j journal.Journal) journal.Journal {
	if !s.Deferred() {
		return j
	}
	return syncedJournal{j}
}

type syncedJournal struct{ journal.Journal }

func (j syncedJournal) Append(expected uint64, records []event.Record) error {
	if err := j.Journal.Append(expected, records); err != nil {
		return err
	}
	return j.Sync()
}

// leaseOfDead is lease of a session whose holder was killed.
func (env *testEnv) leaseOfDead(t *testing.T, s journal.Store, id event.SessionID) journal.Journal {
	t.Helper()
	if env.driver.Takeover {
		j := env.awaitTakeover(t, func() (journal.Journal, error) { return s.Lease(t.Context(), id) })
		t.Cleanup(func() { closeOrFail(t, j) })
		return durable(s, j)
	}
	return lease(t, s, id)
}

// acquireOfDead is acquire of a session whose holder was killed.
func (env *testEnv) acquireOfDead(t *testing.T, j journal.Journal) {
	t.Helper()
	if env.driver.Takeover {
		env.awaitTakeover(t, func() (journal.Journal, error) {
			return j, j.Acquire(t.Context(), func(event.Record) error { return nil })
		})
		return
	}
	acquire(t, j)
}

// awaitTakeover calls try until the lease is free.
func (env *testEnv) awaitTakeover(t *testing.T, try func() (journal.Journal, error)) journal.Journal {
	t.Helper()
	for {
		j, err := try()
		if err == nil {
			return j
		}
		if _, locked := errors.AsType[*journal.LockedError](err); !locked {
			t.Fatalf("takeover: %v", err)
		}
	}
}

// testLost takes a session over from a holder that lives: the holder notices it, stores nothing any more, and
// its journal is of no use.
func testLost(t *testing.T, env *testEnv) {
	if env.driver.TakeOver == nil {
		t.Skip("a holder that lives cannot lose its lease")
	}
	s := env.open(t)
	j := create(t, s, "a")
	stored := append([]event.Record{created("a")}, appendAll(t, j, notes(2)...)...)
	select {
	case <-j.Lost():
		t.Fatal("the lease is lost at first")
	default:
	}
	other, err := env.driver.TakeOver(env.location, "a")
	if err != nil {
		t.Fatalf("TakeOver: %v", err)
	}
	t.Cleanup(func() { closeOrFail(t, other) })
	if other.Head() != j.Head() {
		t.Errorf("Head after the takeover = %d, want %d", other.Head(), j.Head())
	}
	if err := j.Append(j.Head(), notes(1)); !errors.Is(err, journal.ErrFenced) || !errors.Is(err, journal.ErrStale) {
		t.Errorf("Append of the former holder: %v, want ErrFenced", err)
	}
	<-j.Lost()
	stored = append(stored, appendAll(t, durable(s, other), notes(2)...)...)
	_, blobErr := j.PutBlob([]byte("x"))
	for name, err := range map[string]error{
		"Append": j.Append(j.Head(), notes(1)), "Sync": j.Sync(), "PutBlob": blobErr,
		"Release": j.Release(), "Acquire": j.Acquire(t.Context(), nil),
	} {
		if !errors.Is(err, journal.ErrFenced) {
			t.Errorf("%s of a lost journal: %v, want ErrFenced", name, err)
		}
	}
	wantRecords(t, s, "a", stored)
	closeOrFail(t, j)
	wantRecords(t, env.open(t), "a", stored)
}

// testLargeAppends appends records, and batches of them, that are larger than what most media store at once.
func testLargeAppends(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	want := []event.Record{created("a")}
	for _, sizes := range [][]int{{500 << 10}, {512 << 10}, {1 << 20}, {300 << 10, 300 << 10}, {5 << 20, 1, 1 << 20}} {
		var batch []event.Record
		for i, size := range sizes {
			batch = append(batch, event.Record{Time: after(i), Event: event.Notice{Text: string(bytes.Repeat([]byte("x"), size))}})
		}
		want = append(want, appendAll(t, j, batch...)...)
		want = append(want, appendAll(t, j, notes(1)...)...)
	}
	wantRecords(t, s, "a", want)
	closeOrFail(t, j)
	wantRecords(t, env.open(t), "a", want)
	if head := lease(t, s, "a").Head(); head != uint64(len(want)) {
		t.Errorf("Head = %d, want %d", head, len(want))
	}
}

// testIDs creates, finds and removes a session for every byte that an id can contain.
func testIDs(t *testing.T, env *testEnv) {
	s := env.open(t)
	for b := range 256 {
		id := event.SessionID(fmt.Sprintf("x%cy", rune(b)))
		if !journal.ValidID(id) {
			continue
		}
		closeOrFail(t, create(t, s, id))
		wantRecords(t, s, id, []event.Record{created(id)})
		if got := ids(t, s, journal.Query{IDs: []event.SessionID{id}}); len(got) != 1 || got[0] != id {
			t.Errorf("List of %q = %q", id, got)
		}
		if b%5 == 0 {
			if err := s.Remove(t.Context(), id); err != nil {
				t.Errorf("Remove(%q): %v", id, err)
			}
		}
	}
}
