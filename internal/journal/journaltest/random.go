package journaltest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/racetest"
)

// testRandomOperations compares a journal with a slice in random sequences of operations: batches of
// all sizes, stale writers, syncs, new leases, reads from any record.
func testRandomOperations(t *testing.T, env *testEnv) {
	racetest.Skip(t, racetest.Sequential)
	s := env.open(t)
	lives := 0
	rapid.Check(t, func(rt *rapid.T) {
		lives++
		id := event.SessionID(fmt.Sprintf("life-%d", lives))
		j, err := s.Create(t.Context(), id, []event.Record{created(id)})
		if err != nil {
			rt.Fatalf("Create: %v", err)
		}
		j = durable(s, j)
		defer func() { _ = j.Close() }()
		model := []event.Record{created(id)}
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				batch := batchOf(rt)
				if err := j.Append(uint64(len(model)), batch); err != nil {
					rt.Fatalf("Append: %v", err)
				}
				model = append(model, numbered(uint64(len(model)), batch)...)
			},
			"append stale": func(rt *rapid.T) {
				expected := rapid.Uint64Max(uint64(2*len(model))).Filter(func(n uint64) bool { return n != uint64(len(model)) }).Draw(rt, "expected")
				if err := j.Append(expected, batchOf(rt)); !errors.Is(err, journal.ErrStale) {
					rt.Fatalf("Append after %d of %d: %v", expected, len(model), err)
				}
			},
			"sync": func(rt *rapid.T) {
				if err := j.Sync(); err != nil {
					rt.Fatalf("Sync: %v", err)
				}
			},
			"new lease": func(rt *rapid.T) {
				if err := j.Close(); err != nil {
					rt.Fatalf("Close: %v", err)
				}
				if j, err = s.Lease(t.Context(), id); err != nil {
					rt.Fatalf("Lease: %v", err)
				}
				j = durable(s, j)
			},
			"read": func(rt *rapid.T) {
				from := rapid.Uint64Range(1, uint64(len(model)+1)).Draw(rt, "from")
				got, err := read(t, s, id, from)
				if err != nil {
					rt.Fatalf("Read: %v", err)
				}
				if want := model[from-1:]; len(want)+len(got) > 0 && !cmp.Equal(want, got) {
					rt.Fatalf("Read from %d (-want +got):\n%s", from, cmp.Diff(want, got))
				}
			},
			"": func(rt *rapid.T) {
				if j.Head() != uint64(len(model)) {
					rt.Fatalf("Head = %d, want %d", j.Head(), len(model))
				}
			},
		})
	})
}

// batchOf returns some records, occasionally a very long one.
func batchOf(rt *rapid.T) []event.Record {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) event.Record {
		r := note(rapid.IntRange(0, 1000).Draw(rt, "note"))
		if size := rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 100, 100, 5000, 5000, 140_000}).Draw(rt, "size"); size > 0 {
			r.Event = event.Notice{Text: strings.Repeat("é", size)}
		}
		return r
	}), 0, 5).Draw(rt, "batch")
}
