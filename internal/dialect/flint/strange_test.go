package flint

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestStrangeRecords: records that are none of this protocol disturb nothing.
func TestStrangeRecords(t *testing.T) {
	v := &view{thread: "s", blob: func(string) ([]byte, error) { return nil, nil }}
	dialecttest.Strange(t, func(rec event.Record) int { return len(v.render(rec)) },
		event.UserMessage{ID: "e", Via: event.ByEngine, Blocks: []model.Block{model.TextBlock("go on")}})
}
