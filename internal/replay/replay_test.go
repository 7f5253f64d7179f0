package replay

import (
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func records(events ...event.Event) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for i, e := range events {
			if !yield(event.Record{Seq: uint64(i + 1), Event: e}, nil) {
				return
			}
		}
	}
}

// turnOf is a completed turn with one call, with other events before its end.
func turnOf(prompt, output string, others ...event.Event) []event.Event {
	call := &model.Call{ID: "c", Name: "shell", Input: jsontext.Value(`{"command":"pwd"}`)}
	events := []event.Event{
		event.TurnStarted{},
		event.UserMessage{Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(prompt)}},
		event.AssistantMessage{Provider: "p", Model: "m", Blocks: []model.Block{{Kind: model.KindToolCall, Call: call}}},
		event.ToolIntended{Call: "c", Name: "shell", Input: call.Input},
		event.ToolEnded{Call: "c", Outcome: event.Succeeded, Output: output},
		event.AssistantMessage{Provider: "p", Model: "m", Blocks: []model.Block{model.TextBlock("Done.")}},
	}
	return append(append(events, others...), event.TurnEnded{Reason: event.TurnCompleted})
}

// TestRead: turns are read up to the first that depends on more than prompts and answers, and answers are counted over all of them.
func TestRead(t *testing.T) {
	created := event.SessionCreated{Workspace: "/w", Profile: "flint"}
	for _, test := range []struct {
		name  string
		more  []event.Event // after two whole turns
		turns int
		left  string
	}{
		{name: "whole", turns: 2},
		{"steered", turnOf("x", "", event.UserMessage{Via: event.BySteer}), 2, "turn 3 and those after it are left out: the user has steered it"},
		{"summary", append([]event.Event{event.Compacted{}}, turnOf("x", "")...), 2, "the history was summarised"},
		{"subagent", turnOf("x", "", event.SubagentStarted{}), 2, "it has a subagent"},
		{"restored", append([]event.Event{event.FilesRestored{}}, turnOf("x", "")...), 2, "files were restored"},
		{"cut answer", turnOf("x", "", event.AssistantMessage{Partial: true}), 2, "an answer is not whole"},
		{"interrupted", []event.Event{event.TurnStarted{}, event.TurnEnded{Reason: event.TurnInterrupted}}, 2, "it was interrupted"},
		{"open", []event.Event{event.TurnStarted{}}, 2, "it has not ended"},
		{"image", []event.Event{event.TurnStarted{}, event.UserMessage{Via: event.ByPrompt, Blocks: []model.Block{{Kind: model.KindImage}}}}, 2, "the prompt has an image"},
		{"reminder", turnOf("x", "", event.UserMessage{Via: event.ByEngine}), 3, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := append([]event.Event{created}, turnOf("one", "a")...)
			events = append(append(events, turnOf("two", "b")...), test.more...)
			r, err := Read(records(events...))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Turns) != test.turns || len(r.Answers) != 2*test.turns || r.Workspace != "/w" || r.Profile != "flint" || !strings.HasSuffix(r.Left, test.left) || (r.Left == "") != (test.left == "") {
				t.Errorf("%d turns, %d answers, left: %q", len(r.Turns), len(r.Answers), r.Left)
			}
			for i, a := range r.Answers {
				if a.Answers != i {
					t.Errorf("answer %d is at %d", i, a.Answers)
				}
			}
		})
	}
	if r, err := Read(records(event.SessionCreated{Parent: "p"})); err != nil || !strings.Contains(r.Left, "a fork") {
		t.Errorf("of a fork: %+v, %v", r, err)
	}
}

// TestCompare: names of the folder and durations do not count; outcomes, outputs, missing calls and turns do.
func TestCompare(t *testing.T) {
	turn := func(outcome event.Outcome, output string) Turn {
		return Turn{Prompt: "go", Calls: []Call{{Name: "shell", Outcome: outcome, Output: output}}}
	}
	was := &Recording{Workspace: "/w", Turns: []Turn{turn(event.Succeeded, "in /w/x, ok 0.31s, 7 lines")}}
	for _, test := range []struct {
		name string
		now  []Turn
		diff string // in the diff; "same": everything is the same
	}{
		{"same", []Turn{turn(event.Succeeded, "in /copy/x, ok 12ms, 7 lines")}, "same"},
		{"output", []Turn{turn(event.Succeeded, "in /copy/x, ok 12ms, 8 lines")}, "+in WORKSPACE/x, ok TIME, 8 lines"},
		{"outcome", []Turn{turn(event.Failed, "in /copy/x, ok 12ms, 7 lines")}, ""},
		{"no call", []Turn{{Prompt: "go"}}, ""},
		{"not completed", []Turn{{Prompt: "go", Ended: "failed", Calls: turn(event.Succeeded, "in /copy/x, ok 1s, 7 lines").Calls}}, ""},
		{"no turn", nil, ""},
	} {
		r := Compare(was, test.now, "/copy")
		if want := test.diff == "same"; r.Same != want || len(r.Turns) != 1 || len(r.Turns[0].Calls) != 1 {
			t.Errorf("%s: %+v", test.name, r)
		}
		if test.diff != "same" && !strings.Contains(r.Turns[0].Calls[0].Diff, test.diff) {
			t.Errorf("%s: %s", test.name, r.Turns[0].Calls[0].Diff)
		}
	}
}

// TestTurns: calls are those of their turn, and a turn that failed has the reason.
func TestTurns(t *testing.T) {
	events := append(turnOf("one", "a"), event.TurnStarted{}, event.TurnEnded{Reason: event.TurnFailed, Failure: &event.Failure{Message: "no answer"}})
	turns, err := Turns(records(events...))
	if err != nil || len(turns) != 2 || len(turns[0].Calls) != 1 || turns[0].Calls[0].Output != "a" || turns[0].Ended != "" || turns[1].Ended != "no answer" {
		t.Errorf("%+v, %v", turns, err)
	}
}
