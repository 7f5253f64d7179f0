package pisces

import (
	"testing"
	"time"

	"parley.dev/parley/internal/event"
)

// TestUpdates: the first updates of a message do not wait, the others wait the longer the
// longer they are, and each message begins anew.
func TestUpdates(t *testing.T) {
	lines := func(n int) [][]byte { return [][]byte{make([]byte, n/2), make([]byte, n-n/2)} }
	var u update
	for _, test := range []struct {
		name  string
		event event.Event
		bytes int
		want  time.Duration
	}{
		{"nothing yet", event.StepStarted{}, 0, 0},
		{"a text begins", event.TextDelta{}, atOnce / 2, 0},
		{"one byte is left", event.ThinkingDelta{}, atOnce/2 - 1, 0},
		{"a short one, too late", event.ToolInputDelta{}, 1, leastGap},
		{"a long one", event.TextDelta{}, updateRate, time.Second},
		{"a short one again", event.TextDelta{}, 10, leastGap},
		{"the message is whole", event.AssistantMessage{}, 100, 0},
		{"output of a tool", event.ToolOutput{}, atOnce, atOnce * time.Second / updateRate},
		{"the call has ended", event.ToolEnded{}, updateRate, 0},
	} {
		u.note(event.Record{Event: test.event}, lines(test.bytes))
		if got := u.gap(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
