package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestFlintDeltas: 20,000 deltas come whole, in order, and in few bytes.
func TestFlintDeltas(t *testing.T) {
	t.Parallel()
	const pieces, each = 200, 100
	var script, want strings.Builder
	for i := range pieces {
		piece := fmt.Sprintf("%d ", i)
		fmt.Fprintf(&script, "repeat %d text %q\n", each, piece)
		want.WriteString(strings.Repeat(piece, each))
	}
	f := newPlace(t).flint(t, script.String())
	thread := f.StartThread(`{}`)
	before := f.Bytes
	f.Begin(thread)
	var got strings.Builder
	deltas := 0
	for _, line := range f.Finish() {
		if line.Method == "item/agentMessage/delta" {
			got.WriteString(line.Params.Delta)
			deltas++
		}
	}
	if got.String() != want.String() {
		t.Errorf("%d bytes of text, want %d, or in another order", got.Len(), want.Len())
	}
	if n := f.Bytes - before; n > 8_000_000 {
		t.Errorf("%d bytes for %d deltas", n, pieces*each)
	}
	t.Logf("%d deltas came in %d pieces, %d bytes", pieces*each, deltas, f.Bytes-before)
	f.Quit()
}
