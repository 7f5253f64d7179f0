package pisces

import (
	"testing"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/event"
)

// TestContextCount: the messages are counted as reading them counts them.
func TestContextCount(t *testing.T) {
	answer := func(text string) []event.Event {
		return []event.Event{event.TurnStarted{}, recordtest.Says(text), event.StepStarted{Step: 1}, event.AssistantMessage{Stop: "end"}, event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnCompleted}}
	}
	two := append(append([]event.Event{recordtest.Created()}, answer("one")...), answer("two")...) // says are 3 and 9, answers 5 and 11
	with := func(events ...event.Event) []event.Event { return append(two[:len(two):len(two)], events...) }
	for _, test := range []struct {
		name   string
		events []event.Event
		want   int
	}{
		{"all", two, 4},
		{"a command", with(event.CommandRan{}), 5},
		{"summed up", with(event.Compacted{}), 1},
		{"summed up to a message", with(event.Compacted{KeptFrom: 9}), 3},
		{"summed up twice, from before the first summary", with(event.Compacted{KeptFrom: 9}, event.Compacted{KeptFrom: 11}), 2},
		{"summed up twice, from after it", append(with(event.Compacted{KeptFrom: 11}), append(answer("three"), event.Compacted{KeptFrom: 16})...), 3},
	} {
		v := newView(message.NewFold(around()), nil, nil, nil)
		all := recordtest.Records(test.events...)
		for _, rec := range all {
			v.know(rec)
		}
		h, err := sessionfile.ReadHistory(recordtest.Sequence(all), around())
		if err != nil {
			t.Fatal(err)
		}
		if got, read := len(v.context.messages), len(h.Context()); got != test.want || read != test.want {
			t.Errorf("%s: %d messages are counted and %d read, want %d", test.name, got, read, test.want)
		}
	}
}
