package dialecttest

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Strange holds a dialect's fold to records that are none of its own: what other programs and
// dialects have put into a journal has no message, in a turn and between turns, and disturbs
// nothing. More are further events of which the protocol shows nothing; render gives the
// number of messages that a record causes.
func Strange(t *testing.T, render func(event.Record) int, more ...event.Event) {
	t.Helper()
	strange := append([]event.Event{
		event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: "a\n", Lines: 2, Bytes: 2},
		event.CommandRan{Shell: event.ShellRun{Command: "ls", ExitCode: -1}, Cancelled: true, Hidden: true},
		event.Labelled{Target: 1, Label: "here"},
		event.FilesRestored{Before: 1, Changes: []event.FileChange{{Path: "a", Op: event.Updated, Existed: true}}},
		event.Foreign{Format: "f"},
		event.HookRan{Moment: event.BeforeTool, Hook: "h", Call: "c", Decision: event.HookDenied, Reason: "no"},
		event.Reminded{Attempt: 1, Max: 3, Tasks: []event.PlanTask{{ID: "t", Text: "x", Status: event.Pending}}, Text: "Go on."},
		event.RuleViolated{Rules: []string{"r"}, Blocks: []model.Block{model.TextBlock("mind r")}},
		event.ContextNote{Topic: event.NotePermissions, Text: "From now on"},
		event.ResultsCut{Results: []event.CutResult{{Call: "c"}}},
		event.Sampled{Call: "c", Server: "s", Usage: model.Usage{Input: 1}},
		event.ToolsFound{Names: []string{"mcp__s__t"}},
		event.TextRefused{Provider: "p", Model: "m", Messages: []uint64{1}, Results: []event.CallID{"c"}},
		event.SubagentStarted{Call: "c", Task: "0-A", Agent: "task", Isolated: true, Session: "s2"},
		event.VerificationStarted{Call: "c", Task: "0-A", Attempt: 1, Profile: "ci"},
		event.VerificationCommandStarted{Call: "c", Task: "0-A", Attempt: 1, Name: "tests"},
		event.VerificationCommandEnded{Call: "c", Task: "0-A", Attempt: 1, Result: event.VerificationCommand{Name: "tests", Command: "true"}},
		event.VerificationEnded{Call: "c", Task: "0-A", Attempt: 1, Status: event.VerificationPassed},
		event.SubagentEnded{Call: "c", Task: "0-A", Agent: "task", Usage: model.Usage{Input: 1}},
		event.TasksProgressed{Call: "c", Tasks: []event.TaskProgress{{Task: event.Task{ID: "0-A"}, Status: event.TaskRunning}}},
	}, more...)
	seq := uint64(0)
	apply := func(turn event.TurnID, events ...event.Event) (messages int) {
		for _, e := range events {
			seq++
			messages += render(event.Record{Seq: seq, Turn: turn, Event: e, Origin: jsontext.Value(`{"type":"label"}`)})
		}
		return messages
	}
	if n := apply("", strange...); n > 0 {
		t.Errorf("%d messages between turns", n)
	}
	apply("t1", event.TurnStarted{Prompt: "1"}, event.StepStarted{Step: 1})
	if n := apply("t1", strange...); n > 0 {
		t.Errorf("%d messages in a turn", n)
	}
	apply("t1", event.StepEnded{Step: 1})
	if n := apply("t1", event.TurnEnded{Reason: event.TurnCompleted}); n == 0 {
		t.Error("no message for the end of the turn")
	}
}
