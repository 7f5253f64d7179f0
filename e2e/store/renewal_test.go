//go:build linux

package store

import (
	"testing"
	"time"
)

// TestMayClaim checks when a takeover is not the fault of the store.
func TestMayClaim(t *testing.T) {
	const ttl = 100
	renewal := func(writer string, begin, end int64, outcome string) []entry {
		return []entry{
			{Writer: writer, Op: int(begin), Do: opRenew, Time: begin},
			{Writer: writer, Op: int(begin), Do: opRenew, Time: end, End: true, Outcome: outcome},
		}
	}
	for _, test := range []struct {
		name    string
		entries [][]entry
		want    bool
	}{
		{"the owner has ended", [][]entry{renewal("owner", 850, 860, ack), renewal("claimant", 950, 960, ack)}, true},
		{"the owner has renewed its key", [][]entry{renewal("owner", 910, 920, ack), renewal("claimant", 950, 960, ack)}, false},
		{"the owner could not", [][]entry{renewal("owner", 910, 920, unknown), renewal("claimant", 950, 960, ack)}, true},
		{"the owner did so later", [][]entry{renewal("owner", 990, 1010, ack), renewal("claimant", 950, 960, ack)}, true},
		{"the claimant could not either", [][]entry{renewal("claimant", 910, 980, unknown), renewal("claimant", 985, 990, ack)}, false},
		{"the claimant did not", [][]entry{renewal("claimant", 800, 810, ack)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHistory()
			for _, entries := range test.entries {
				for _, e := range entries {
					h.add(e)
				}
			}
			if got := h.mayClaim(entry{Writer: "claimant", Time: 1000}, "owner", ttl*time.Nanosecond); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
