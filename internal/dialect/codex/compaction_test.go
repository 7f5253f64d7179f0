package codex

import (
	"fmt"
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
)

// TestUnsavedCompaction: a compaction of which the end cannot be saved yet has one turn for the client, which has failed. Its records, which
// follow with their numbers, cause nothing.
func TestUnsavedCompaction(t *testing.T) {
	entry := func(seq uint64, status TurnStatus) event.Record {
		return event.Record{Seq: seq, Event: event.Foreign{Format: profile, Data: marshal(compactionEntry{Turn: "t", Status: status})}}
	}
	begin, failed, summary := entry(1, TurnStatusInProgress), entry(3, TurnStatusFailed), event.Record{Seq: 2, Event: event.Compacted{}}
	ahead := entry(0, TurnStatusFailed)
	want := []string{"turn/started", "turn/completed failed"}
	for name, records := range map[string][]event.Record{
		"of which the client has seen the beginning": {begin, ahead, summary, failed},
		"of which it has seen nothing":               {ahead, begin, summary, failed},
		"that was cut short":                         {begin, ahead, failed},
		"that is saved at once":                      {begin, entry(2, TurnStatusFailed)},
	} {
		var v view
		var got []string
		for _, rec := range records {
			for _, message := range v.render(rec) {
				switch p := message.(notice).params.(type) {
				case TurnStartedNotification:
					got = append(got, "turn/started")
				case TurnCompletedNotification:
					got = append(got, fmt.Sprint("turn/completed ", p.Turn.Status))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("a compaction %s: %q, want %q", name, got, want)
		}
		if v.render(event.Record{Seq: 9, Event: event.Compacted{}}); v.compaction != nil || v.unsaved != "" {
			t.Errorf("a compaction %s: its turn is still open", name)
		}
	}
}
