package session

import (
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestUnclosedSubagents: subagents and verifications that a dead process left open are closed, and numbers
// of tasks go on.
func TestUnclosedSubagents(t *testing.T) {
	f := New()
	for i, e := range []event.Event{
		event.SessionCreated{ID: "s"},
		event.TurnStarted{},
		event.StepStarted{Step: 1},
		event.ToolIntended{Call: "1"},
		event.ToolStarted{Call: "1"},
		event.SubagentStarted{Call: "1", Task: "4-A", Agent: "x"},
		event.SubagentStarted{Call: "1", Task: "5-B", Agent: "x"},
		event.VerificationStarted{Call: "1", Task: "5-B", Attempt: 2},
		event.SubagentEnded{Call: "1", Task: "4-A", Usage: model.Usage{Input: 7}},
	} {
		f.Apply(event.Record{Seq: uint64(i + 1), Event: e})
	}
	closed := f.Unclosed(event.OutcomeUnknown)
	if len(closed) != 4 || closed[0] != (event.VerificationEnded{Call: "1", Task: "5-B", Attempt: 2, Status: event.VerificationFailed}) {
		t.Fatalf("closed by %+v", closed)
	}
	if e, ok := closed[1].(event.SubagentEnded); !ok || e.Task != "5-B" || e.ExitCode == 0 {
		t.Errorf("then %+v", closed[1])
	}
	if f.NextTask != 6 || f.State.Usage.Input != 7 {
		t.Errorf("the next task is %d, used %d", f.NextTask, f.State.Usage.Input)
	}
}
