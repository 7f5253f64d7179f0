package agentair

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/event"
)

// TestStrangeRecords: records that are none of this protocol disturb nothing.
func TestStrangeRecords(t *testing.T) {
	v := &view{session: 1}
	dialecttest.Strange(t, func(rec event.Record) int { return len(v.render(rec)) })
}
