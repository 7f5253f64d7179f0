package e2e

import (
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/internal/model/modeltest"
)

// TestLoafDeltas: twenty thousand deltas come in order and whole, in at most 8 MB.
func TestLoafDeltas(t *testing.T) {
	t.Parallel()
	const deltas, most = 20_000, 8_000_000
	parts, want := numbered(deltas)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(parts...))
	l := b.place(t).loaf(t)
	session := l.Create()
	l.Say(session, "count")
	lines := l.Turn()
	if got := client.LoafText(lines); got != want {
		t.Errorf("the answer has %d bytes, want %d", len(got), len(want))
	}
	bytes, chunks := 0, 0
	for _, line := range lines {
		bytes += len(line.Raw) + 1
		if line.Method == "session.stream.chunk" {
			chunks++
		}
	}
	t.Logf("%d bytes in %d lines, %d of them chunks", bytes, len(lines), chunks)
	if bytes > most {
		t.Errorf("%d bytes for %d deltas, at most %d are allowed", bytes, deltas, most)
	}
	l.Leave()
}
