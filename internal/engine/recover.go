package engine

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
)

// What the model is told of calls that a dead process left open.
const (
	outcomeUnknown = "outcome unknown: the process ended while this call ran; check what it did before running it again"
	neverStarted   = "not run: the process ended before this call began"
)

// closeInherited closes what the process that had the session before left open.
func (s *Session) closeInherited() error {
	turn := s.fold.state.Turn
	for _, e := range s.fold.unclosed(event.OutcomeUnknown) {
		s.log.Append(turn, e)
	}
	if turn == "" {
		return nil
	}
	end := s.turnEnd(event.TurnInterrupted, nil)
	end.Heir = true
	return s.log.Commit(turn, end)
}

// unclosed is the events that close everything open but the turn itself, in order. A call
// that had begun ends as begun says: interrupted, or with an unknown outcome.
func (f *fold) unclosed(begun event.Outcome) []event.Event {
	by := event.ByInterrupt
	if begun == event.OutcomeUnknown {
		by = event.ByHeir
	}
	events := f.cutAnswer()
	for _, id := range f.open.approvals {
		events = append(events, event.ApprovalAnswered{ID: id, Reason: neverStarted, By: by})
	}
	for _, id := range f.open.questions {
		events = append(events, event.QuestionAnswered{ID: id, By: by})
	}
	for _, o := range f.open.subagents {
		if o.attempt > 0 {
			events = append(events, event.VerificationEnded{Call: o.Call, Task: o.Task, Attempt: o.attempt, Status: event.VerificationFailed})
		}
		events = append(events, event.SubagentEnded{Call: o.Call, Task: o.Task, Agent: o.Agent, ExitCode: 1})
	}
	for _, id := range f.openCalls() {
		e := event.ToolEnded{Call: id, Outcome: event.Interrupted, Output: neverStarted}
		if f.open.calls[id].started {
			e.Outcome, e.Output = begun, outcomeUnknown
		}
		events = append(events, e)
	}
	if f.open.step != 0 {
		events = append(events, event.StepEnded{Step: f.open.step})
	}
	return events
}

func (f *fold) openCalls() []event.CallID {
	var ids []event.CallID
	for id := range f.open.calls {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b event.CallID) int { return strings.Compare(string(a), string(b)) })
	return ids
}
