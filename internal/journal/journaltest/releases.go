package journaltest

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

func release(t *testing.T, j journal.Journal) {
	t.Helper()
	if err := j.Release(); err != nil {
		t.Fatalf("Release: %v", err)
	}
}

// acquire acquires the lease and returns the records that Acquire passes.
func acquire(t *testing.T, j journal.Journal) []event.Record {
	t.Helper()
	var shown []event.Record
	err := j.Acquire(t.Context(), func(rec event.Record) error {
		shown = append(shown, rec)
		return nil
	})
	if err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	return shown
}

// testRelease checks the operations of a journal without its lease.
func testRelease(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	j.SetBusy(true)
	_, err := s.Lease(t.Context(), "a")
	wantLocked(t, err, os.Getpid())
	if locked, _ := errors.AsType[*journal.LockedError](err); !locked.Busy {
		t.Error("a busy holder is not said to be busy")
	}
	j.SetBusy(false)
	_, err = s.Lease(t.Context(), "a")
	if locked, _ := errors.AsType[*journal.LockedError](err); locked == nil || locked.Busy {
		t.Errorf("an idle holder is said to be busy: %v", err)
	}
	blob, err := j.PutBlob([]byte("payload"))
	if err != nil {
		t.Fatalf("PutBlob: %v", err)
	}
	all := append([]event.Record{created("a")}, appendAll(t, j, notes(2)...)...)
	all[0].Seq = 1
	release(t, j)
	release(t, j)
	j.SetBusy(true)
	if err := j.Append(3, notes(1)); !errors.Is(err, journal.ErrReleased) {
		t.Errorf("Append without the lease: %v", err)
	}
	if err := j.Sync(); !errors.Is(err, journal.ErrReleased) {
		t.Errorf("Sync without the lease: %v", err)
	}
	if _, err := j.PutBlob([]byte("more")); !errors.Is(err, journal.ErrReleased) {
		t.Errorf("PutBlob without the lease: %v", err)
	}
	if data, err := j.Blob(blob); err != nil || string(data) != "payload" {
		t.Errorf("Blob without the lease = %q, %v", data, err)
	}
	var read []event.Record
	for rec, err := range j.Read(t.Context(), 1) {
		if err != nil {
			t.Fatalf("Read without the lease: %v", err)
		}
		read = append(read, rec)
	}
	if diff := cmp.Diff(all, read); diff != "" || j.Head() != 3 {
		t.Errorf("Read without the lease (-want +got), head %d:\n%s", j.Head(), diff)
	}
	if shown := acquire(t, j); shown != nil {
		t.Errorf("Acquire shows %d records that j wrote itself", len(shown))
	}
	acquire(t, j)
	appendAll(t, j, notes(1)...)
	release(t, j)
	closeOrFail(t, lease(t, s, "a"))
	closeOrFail(t, j)
	if err := j.Acquire(t.Context(), nil); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("Acquire of a closed journal: %v", err)
	}
	if err := j.Release(); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("Release of a closed journal: %v", err)
	}
}

// testAcquire lets two journals of one session write alternately.
func testAcquire(t *testing.T, env *testEnv) {
	s := env.open(t)
	all := numbered(0, []event.Record{created("a")})
	a := create(t, s, "a")
	release(t, a)
	b := lease(t, env.open(t), "a")
	release(t, b)
	seen := map[journal.Journal]int{a: 1, b: 1}
	for round := range 6 {
		j := a
		if round%3 > 0 {
			j = b
		}
		if diff := cmp.Diff(all[seen[j]:], acquire(t, j)); diff != "" && seen[j] < len(all) {
			t.Fatalf("round %d: Acquire shows (-want +got):\n%s", round, diff)
		}
		all = append(all, appendAll(t, j, notes(2)...)...)
		seen[j] = len(all)
		if err := j.Append(2, notes(1)); !errors.Is(err, journal.ErrStale) {
			t.Errorf("Append after a record that is not the last: %v", err)
		}
		release(t, j)
	}
	wantRecords(t, env.open(t), "a", all)
	page, err := env.open(t).List(t.Context(), journal.Query{})
	if err != nil || len(page.Sessions) != 1 {
		t.Errorf("List = %v, %v", page.Sessions, err)
	}
}

// testOpen opens a journal to which another one writes.
func testOpen(t *testing.T, env *testEnv) {
	s := env.open(t)
	all := numbered(0, []event.Record{created("a")})
	holder := create(t, s, "a")
	for _, store := range []journal.Store{s, env.open(t)} {
		all = append(all, appendAll(t, holder, notes(2)...)...)
		var shown []event.Record
		j, err := store.Open(t.Context(), "a", func(rec event.Record) error {
			shown = append(shown, rec)
			return nil
		})
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		j = durable(store, j)
		defer closeOrFail(t, j)
		if diff := cmp.Diff(all, shown); diff != "" || j.Head() != uint64(len(all)) {
			t.Errorf("Open shows (-want +got), head %d:\n%s", j.Head(), diff)
		}
		if err := j.Append(j.Head(), notes(1)); !errors.Is(err, journal.ErrReleased) {
			t.Errorf("Append without the lease: %v", err)
		}
		wantLocked(t, j.Acquire(t.Context(), nil), os.Getpid())
		more := appendAll(t, holder, notes(1)...)
		all = append(all, more...)
		release(t, holder)
		if diff := cmp.Diff(more, acquire(t, j)); diff != "" {
			t.Errorf("Acquire after Open shows (-want +got):\n%s", diff)
		}
		all = append(all, appendAll(t, j, notes(1)...)...)
		release(t, j)
		acquire(t, holder)
	}
	if _, err := s.Open(t.Context(), "b", nil); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Open of no session: %v", err)
	}
	wantRecords(t, s, "a", all)
}

func testAcquireRefuses(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	appendAll(t, j, notes(3)...)
	release(t, j)
	holder := lease(t, env.open(t), "a")
	wantLocked(t, j.Acquire(t.Context(), nil), os.Getpid())
	appendAll(t, holder, notes(2)...)
	closeOrFail(t, holder)

	refused := errors.New("refused")
	if err := j.Acquire(t.Context(), func(event.Record) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("Acquire = %v, want the error of its receiver", err)
	}
	closeOrFail(t, lease(t, s, "a"))
	if shown := acquire(t, j); len(shown) != 2 || j.Head() != 6 {
		t.Errorf("Acquire after a refusal shows %d records, head %d", len(shown), j.Head())
	}
	release(t, j)

	if err := s.Remove(t.Context(), "a"); err != nil {
		t.Fatalf("Remove of a session that is open without a lease: %v", err)
	}
	if err := j.Acquire(t.Context(), nil); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Acquire of a removed session: %v", err)
	}
	if _, err := j.PutBlob([]byte("x")); err == nil {
		t.Error("a removed session takes a blob")
	}
	other := create(t, s, "a")
	appendAll(t, other, notes(9)...)
	release(t, other)
	if _, damaged := errors.AsType[*journal.DamageError](j.Acquire(t.Context(), nil)); !damaged {
		t.Error("Acquire takes another session for its own")
	}
	acquire(t, other)
}

// testAcquireAcrossProcesses lets another process write, and kills it, while a journal is open in
// this process without its lease.
func testAcquireAcrossProcesses(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	release(t, j)
	holder := env.start(t, roleHolder, "a")
	if got := holder.line(t); got != "held" {
		t.Fatalf("other process: %q, want held", got)
	}
	wantLocked(t, j.Acquire(t.Context(), nil), holder.cmd.Process.Pid)
	holder.requestAppend(t)
	holder.end(t)
	if shown := acquire(t, j); len(shown) != 1 {
		t.Errorf("Acquire shows %d records, want 1", len(shown))
	}
	release(t, j)

	writer := env.start(t, roleWriter, "a")
	acknowledged := 0
	for range 50 {
		acknowledged = number(t, writer.line(t))
	}
	if err := writer.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for last := writer.line(t); last != ""; last = writer.line(t) {
		acknowledged = number(t, last)
	}
	if err := writer.cmd.Wait(); err == nil {
		t.Fatal("killed process ends well")
	}
	env.acquireOfDead(t, j)
	if j.Head() < uint64(acknowledged) {
		t.Errorf("Head = %d after record %d was acknowledged", j.Head(), acknowledged)
	}
	appendAll(t, j, notes(1)...)
	records, err := read(t, s, "a", 0)
	if err != nil || uint64(len(records)) != j.Head() {
		t.Errorf("Read = %d records, %v; want %d", len(records), err, j.Head())
	}
}

// testAcquireRace lets many journals of one session write in any order: one at a time has the lease,
// and each receives the records of all others.
func testAcquireRace(t *testing.T, env *testEnv) {
	s := env.open(t)
	closeOrFail(t, create(t, s, "a"))
	var group sync.WaitGroup
	var holders, wrote atomic.Int32
	journals := make([]journal.Journal, 6)
	for i := range journals { // all before the first of them writes: Lease does not wait
		journals[i] = lease(t, s, "a")
		release(t, journals[i])
	}
	for _, j := range journals {
		group.Go(func() {
			known := j.Head()
			for range 40 {
				err := j.Acquire(t.Context(), func(rec event.Record) error {
					if known++; rec.Seq != known {
						t.Errorf("shown record %d, want %d", rec.Seq, known)
					}
					return nil
				})
				if _, locked := errors.AsType[*journal.LockedError](err); locked {
					continue
				}
				if err != nil {
					t.Errorf("Acquire: %v", err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders of one lease", n)
				}
				err = j.Append(known, notes(1))
				known++
				wrote.Add(1)
				holders.Add(-1)
				if err := errors.Join(err, j.Release()); err != nil {
					t.Errorf("Append, Release: %v", err)
				}
			}
		})
	}
	group.Wait()
	if records, err := read(t, s, "a", 0); err != nil || len(records) != 1+int(wrote.Load()) {
		t.Errorf("Read = %d records, %v; want %d", len(records), err, 1+wrote.Load())
	}
}

// testAcquireTornTail acquires a journal with an incomplete record of a killed process.
func testAcquireTornTail(t *testing.T, env *testEnv) {
	if env.driver.Bytes == nil || env.driver.WholeRecords {
		t.Skip("nothing can be torn")
	}
	s := env.open(t)
	j := create(t, s, "a")
	release(t, j)
	other := lease(t, s, "a")
	appendAll(t, other, notes(2)...)
	closeOrFail(t, other)
	data, err := env.driver.Bytes.Load(env.location, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := env.driver.Bytes.Save(env.location, "a", data[:len(data)-5]); err != nil {
		t.Fatal(err)
	}
	if shown := acquire(t, j); len(shown) != 1 || j.Head() != 2 {
		t.Errorf("Acquire shows %d records, head %d; want 1 and 2", len(shown), j.Head())
	}
	appendAll(t, j, notes(1)...)
	if records, err := read(t, s, "a", 0); err != nil || len(records) != 3 {
		t.Errorf("Read = %d records, %v; want 3", len(records), err)
	}
}
