package backendtest

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
)

const (
	floodPieces = 100_000 // of 1 KiB
	// floodAhead is how many pieces an agent may be ahead of the reader at most: what waits in the connection, in the buffers of the pipes and
	// of the reader of lines, and what is not counted yet.
	floodAhead = 1000
)

// testFlood: an agent that writes faster than it is read waits; what it has written is not collected.
func testFlood(t *testing.T, s Subject) {
	total := racetest.Size(floodPieces, floodPieces/10)
	f := s.fixture(t, fmt.Sprintf("flood %d", total))
	a := f.open("")
	pieces, length := 0, 0
	r := f.runQuiet(a, func(u backend.Update) {
		said, ok := u.(backend.Text)
		if !ok {
			return
		}
		length += len(said.Text)
		if pieces++; pieces%1000 != 1 {
			return
		}
		runtime.GC() // a slow reader
		info, err := os.Stat(f.script + ".sent")
		if err != nil {
			return // none is counted yet
		}
		if sent := int(info.Size()) * floodStep; sent > length>>10+floodAhead {
			t.Fatalf("the agent has written %d pieces when %d were read", sent, length>>10)
		}
	})
	if r.err != nil || r.end.Reason != event.TurnCompleted || length != total<<10 {
		t.Errorf("%d bytes were read; the turn ends as %q, %v", length, r.end.Reason, r.err)
	}
}
