package journaltest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A follower runs Follow in a goroutine.
type follower struct {
	records chan event.Record // closed at its end
	err     error             // why it ended; set before records is closed
	cancel  context.CancelFunc
}

func follow(t *testing.T, s journal.Store, id event.SessionID, from uint64) *follower {
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{records: make(chan event.Record), cancel: cancel}
	var running sync.WaitGroup
	running.Go(func() {
		defer close(f.records)
		for r, err := range s.Follow(ctx, id, from) {
			if err != nil {
				f.err = err
				continue // it must be the last
			}
			select {
			case f.records <- r:
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return f
}

// want receives exactly these records.
func (f *follower) want(t *testing.T, want ...event.Record) {
	t.Helper()
	for _, w := range want {
		got, ok := <-f.records
		if !ok {
			t.Fatalf("Follow ends with %v, want record %d", f.err, w.Seq)
		}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Fatalf("Follow (-want +got):\n%s", diff)
		}
	}
}

// wantEnd waits for the end, without another record.
func (f *follower) wantEnd(t *testing.T, want error) {
	t.Helper()
	for r := range f.records {
		t.Errorf("Follow yields record %d, want its end", r.Seq)
	}
	if !errors.Is(f.err, want) {
		t.Errorf("Follow ends with %v, want %v", f.err, want)
	}
}

func testFollow(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	f, late, other := follow(t, s, "a", 0), follow(t, s, "a", 3), follow(t, env.open(t), "a", 1)
	f.want(t, created("a"))
	other.want(t, created("a"))
	for round := range 20 {
		batch := appendAll(t, j, notes(1+round%3)...)
		f.want(t, batch...)
		other.want(t, batch...)
		if round == 0 {
			batch = nil // record 2
		}
		late.want(t, batch...)
	}
	closeOrFail(t, j) // a follower outlives the lease
	j = lease(t, s, "a")
	batch := appendAll(t, j, notes(2)...)
	for _, f := range []*follower{f, late, other} {
		f.want(t, batch...)
		f.cancel()
		f.wantEnd(t, context.Canceled)
	}
}

// testFollowSeveral runs followers concurrently with a writer; each receives all records once, in order.
func testFollowSeveral(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	const total = 500
	stores := []journal.Store{s, s, s, env.open(t), env.open(t)}
	var group sync.WaitGroup
	for i, store := range stores {
		f := follow(t, store, "a", uint64(i))
		group.Go(func() {
			for seq := uint64(max(i, 1)); seq <= total; seq++ {
				if got, ok := <-f.records; !ok || got.Seq != seq {
					t.Errorf("follower %d has record %d, want %d (%v)", i, got.Seq, seq, f.err)
					return
				}
			}
		})
	}
	for j.Head() < total {
		appendAll(t, j, notes(min(3, total-int(j.Head())))...)
	}
	group.Wait()
}

func testFollowAcrossProcesses(t *testing.T, env *testEnv) {
	s := env.open(t)
	closeOrFail(t, create(t, s, "a"))
	f := follow(t, s, "a", 0)
	f.want(t, created("a"))
	for range 2 {
		holder := env.start(t, roleHolder, "a")
		if got := holder.line(t); got != "held" {
			t.Fatalf("other process: %q, want held", got)
		}
		for range 20 {
			head := uint64(number(t, holder.requestAppend(t)))
			f.want(t, numbered(head-1, []event.Record{note(int(head) - 1)})...)
		}
		holder.end(t)
		j := lease(t, s, "a") // and back in this process
		f.want(t, appendAll(t, j, notes(2)...)...)
		closeOrFail(t, j)
	}
}

func testFollowTornTail(t *testing.T, env *testEnv) {
	env.skipWhole(t)
	s := newSampleJournal(t, env)
	torn := s.start(len(s.records)) + 10
	s.save(t, s.data[:torn])
	f := follow(t, s.store, s.id, 0)
	f.want(t, s.records[:len(s.records)-1]...)
	for end := torn; end <= len(s.data); end++ {
		s.save(t, s.data[:end])
	}
	f.want(t, s.records[len(s.records)-1])

	// The next holder may also remove an incomplete record, and write another one there.
	s.save(t, s.data[:torn])
	late := follow(t, s.store, s.id, 2)
	late.want(t, s.records[1:len(s.records)-1]...)
	late.want(t, appendAll(t, lease(t, s.store, s.id), notes(1)...)...)
}

func testFollowEnds(t *testing.T, env *testEnv) {
	s, closing := env.open(t), env.open(t)
	for _, id := range []event.SessionID{"removed", "removed elsewhere", "closed"} {
		closeOrFail(t, create(t, s, id))
	}
	removed, elsewhere, closed := follow(t, s, "removed", 0), follow(t, s, "removed elsewhere", 0), follow(t, closing, "closed", 0)
	removed.want(t, created("removed"))
	elsewhere.want(t, created("removed elsewhere"))
	closed.want(t, created("closed"))
	if err := errors.Join(s.Remove(t.Context(), "removed"), closing.Remove(t.Context(), "removed elsewhere")); err != nil {
		t.Fatalf("Remove: %v", err)
	}
	removed.wantEnd(t, journal.ErrNotFound)
	elsewhere.wantEnd(t, journal.ErrNotFound)
	closeOrFail(t, closing)
	closed.wantEnd(t, journal.ErrClosed)
	for _, err := range s.Follow(t.Context(), event.SessionID(strconv.Itoa(1)), 0) {
		if !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("Follow: %v, want ErrNotFound", err)
		}
	}
}
