package session

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestCut: a compaction keeps the last messages that fit, and the very last however long it is.
func TestCut(t *testing.T) {
	f := New()
	for i, size := range []int{400, 400, 400, 9000} {
		f.Apply(event.Record{Seq: uint64(i + 1), Event: event.UserMessage{Blocks: []model.Block{model.TextBlock(strings.Repeat("x", size))}}})
	}
	old, kept := f.Cut(250)         // tokens: room for two messages of 100
	if len(old) != 1 || kept != 2 { // and the last, however long
		t.Errorf("cut = %d old, kept from %d", len(old), kept)
	}
}
