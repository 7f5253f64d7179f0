package file_test

import (
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
)

// TestReadFromTheMiddle reads a long journal from many positions: as its holder, which has
// checkpoints, and as another reader, which has none.
func TestReadFromTheMiddle(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	root := t.TempDir()
	writeLong(t, root, "a", 5<<20)
	holder, other := openStore(t, root), openStore(t, root)
	j, err := holder.Lease(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	for n := range 200 { // marks are made while appending, too
		if err := j.Append(j.Head(), toolRound(n)); err != nil {
			t.Fatal(err)
		}
	}
	head := j.Head()
	for from := uint64(1); from <= head+2; from += 701 {
		next := from
		for r, err := range j.Read(t.Context(), from) {
			if err != nil || r.Seq != next {
				t.Fatalf("Read from %d: record %d, %v, want %d", from, r.Seq, err, next)
			}
			next++
		}
		if next != max(head+1, from) {
			t.Fatalf("Read from %d ends before record %d, head %d", from, next, head)
		}
	}
	var first event.Record
	for r, err := range other.Read(t.Context(), "a", head) {
		if err != nil {
			t.Fatal(err)
		}
		first = r
	}
	if first.Seq != head {
		t.Errorf("Read from the head: record %d, want %d", first.Seq, head)
	}
}
