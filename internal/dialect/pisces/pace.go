package pisces

import (
	"time"

	"parley.dev/parley/internal/event"
)

// An update is the last update of a message, or of a call that is running. The first ones go as
// they come: an answer of usual length is not late at all. Then the longer one was, the longer
// the next one waits, so that a long answer does not cost the square of its length.
type update struct {
	bytes int
	all   int // bytes of those so far
}

const (
	atOnce     = 6 << 20 // bytes of the first updates
	leastGap   = 30 * time.Millisecond
	updateRate = 5 << 17 // bytes of later ones a second: 20,000 deltas, one each millisecond, are less than 20 MB
)

func (u *update) note(rec event.Record, lines [][]byte) {
	u.bytes = 0
	for _, line := range lines {
		u.bytes += len(line)
	}
	switch rec.Event.(type) {
	case event.TextDelta, event.ThinkingDelta, event.ToolInputDelta, event.ToolOutput:
		u.all += u.bytes
	default:
		u.all = 0
	}
}

func (u *update) gap() time.Duration {
	if u.all < atOnce {
		return 0
	}
	return max(leastGap, time.Duration(u.bytes)*time.Second/updateRate)
}
