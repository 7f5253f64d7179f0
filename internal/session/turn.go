package session

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// An OpenTurn is what the turn under way has used and done, and what in it is not closed.
type OpenTurn struct {
	Began        uint64 // number of its TurnStarted
	Dir          string // that it works in
	Usage        model.Usage
	Cost         float64 // US dollars
	Steps        int     // begun
	Rounds       int     // steps whose results of tools were sent
	AsksForTools bool    // the last answer has calls
	Mutations    []event.Mutation

	Step      int // the open step; 0: none is
	Calls     map[event.CallID]OpenCall
	Approvals []event.ApprovalID
	Questions []event.QuestionID
	Subagents []OpenSubagent
	Grown     event.AnswerGrew // what the answer under way has said so far
}

// LastTurn is the turn that runs, or else the one that ended last.
type LastTurn struct {
	ID      event.TurnID
	Before  uint64 // the node that the history ended in before the turn; 0: none
	After   uint64 // the node that it ended in at the end of the turn; 0: it runs
	Refused bool   // the provider refused: the last answer so far, or the turn ended for that reason
	// QueueLeft reports that the turn ended because its process did, with prompts in the queue, where they are still.
	QueueLeft bool
}

// An OpenSubagent is a subagent that runs.
type OpenSubagent struct {
	event.SubagentStarted
	Attempt int // of its verification that runs; 0: none does
}

// An OpenCall is a call that has no end yet.
type OpenCall struct {
	Name    string
	Started bool
}

// Any reports whether something other than the turn itself is open.
func (o *OpenTurn) Any() bool {
	return o.Step != 0 || len(o.Calls)+len(o.Approvals)+len(o.Questions) > 0
}

// The results of calls that a dead process left open.
const (
	OutcomeUnknown = "outcome unknown: the process ended while this call ran; check what it did before running it again"
	NeverStarted   = "not run: the process ended before this call began"
)

// Unclosed returns the events that close everything open but the turn itself, in order. A call that
// had begun ends with the outcome begun: event.Interrupted or event.OutcomeUnknown.
func (f *Fold) Unclosed(begun event.Outcome) []event.Event {
	by := event.ByInterrupt
	if begun == event.OutcomeUnknown {
		by = event.ByRecovery
	}
	events := f.cutAnswer()
	for _, id := range f.Open.Approvals {
		events = append(events, event.ApprovalAnswered{ID: id, Reason: NeverStarted, By: by})
	}
	for _, id := range f.Open.Questions {
		events = append(events, event.QuestionAnswered{ID: id, By: by})
	}
	for _, o := range f.Open.Subagents {
		if o.Attempt > 0 {
			events = append(events, event.VerificationEnded{Call: o.Call, Task: o.Task, Attempt: o.Attempt, Status: event.VerificationFailed})
		}
		events = append(events, event.SubagentEnded{Call: o.Call, Task: o.Task, Agent: o.Agent, ExitCode: 1})
	}
	for _, id := range f.openCalls() {
		e := event.ToolEnded{Call: id, Outcome: event.Interrupted, Output: NeverStarted}
		if f.Open.Calls[id].Started {
			e.Outcome, e.Output = begun, OutcomeUnknown
		}
		events = append(events, e)
	}
	if f.Open.Step != 0 {
		events = append(events, event.StepEnded{Step: f.Open.Step})
	}
	return events
}

func (f *Fold) openCalls() []event.CallID {
	var ids []event.CallID
	for id := range f.Open.Calls {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b event.CallID) int { return strings.Compare(string(a), string(b)) })
	return ids
}
