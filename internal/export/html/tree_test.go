package html

import (
	"maps"
	"slices"
	"testing"
)

// TestMovesToWhatIsNoMessage: files of other programs continue after anything, and what is
// no message stands for the history as it was after it.
func TestMovesToWhatIsNoMessage(t *testing.T) {
	for _, test := range []struct {
		name string
		to   uint64
		want []uint64 // the path
	}{
		{"a message", 2, []uint64{1, 2, 10}},
		{"a record after a message", 4, []uint64{1, 2, 3, 10}},
		{"a move", 5, []uint64{1, 10}},
		{"a record after a move", 6, []uint64{1, 10}},
		{"a message after a move", 7, []uint64{1, 7, 10}},
		{"the beginning", 0, []uint64{10}},
	} {
		var tr tree
		tr.add(1)
		tr.add(2)
		tr.add(3)
		tr.move(5, 1)
		tr.add(7)
		tr.move(9, test.to)
		tr.add(10)
		if got := slices.Sorted(maps.Keys(tr.path())); !slices.Equal(got, test.want) {
			t.Errorf("%s: the path is %v, want %v", test.name, got, test.want)
		}
	}
}
