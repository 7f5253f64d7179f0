package flint

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestStrangeRecords: records that are none of this protocol disturb nothing.
func TestStrangeRecords(t *testing.T) {
	v := &view{thread: "s", blob: func(string) ([]byte, error) { return nil, nil }}
	dialecttest.Strange(t, func(rec event.Record) int { return len(v.render(rec)) },
		event.UserMessage{ID: "e", Via: event.ByEngine, Blocks: []engine.Block{engine.TextBlock("go on")}})
}
