package loaf

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestStrangeRecords: what other programs have put into a journal has no message here, in a
// turn and between turns, and disturbs nothing.
func TestStrangeRecords(t *testing.T) {
	v := (&conn{}).pastView(t.Context(), "s")
	origin := jsontext.Value(`{"type":"label"}`)
	strange := []event.Event{
		event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: "a\n", Lines: 2, Bytes: 2},
		event.CommandRan{Shell: event.ShellRun{Command: "ls", ExitCode: -1}, Cancelled: true, Hidden: true},
		event.Labelled{Target: 1, Label: "here"},
		event.Foreign{Format: "f"},
		event.HookRan{Moment: event.BeforeTool, Hook: "h", Call: "c", Decision: event.HookDenied, Reason: "no"},
		event.UserMessage{ID: "e", Via: event.ByEngine, Blocks: []engine.Block{engine.TextBlock("go on")}},
	}
	seq := uint64(0)
	render := func(turn event.TurnID, events ...event.Event) (messages int) {
		for _, e := range events {
			seq++
			messages += len(v.render(event.Record{Seq: seq, Turn: turn, Event: e, Origin: origin}))
		}
		return messages
	}
	if n := render("", strange...); n > 0 {
		t.Errorf("%d messages between turns", n)
	}
	render("t1", event.TurnStarted{Prompt: "1"}, event.StepStarted{Step: 1})
	if n := render("t1", strange...); n > 0 {
		t.Errorf("%d messages in a turn", n)
	}
	render("t1", event.StepEnded{Step: 1})
	if n := render("t1", event.TurnEnded{Reason: event.TurnCompleted}); n == 0 {
		t.Error("the end of the turn is not told")
	}
}

// TestFault: a command that did well and that a hook does not accept says what the hook said.
func TestFault(t *testing.T) {
	for want, e := range map[string]event.ToolEnded{
		"[hook lint] bad":              {Outcome: event.Failed, Output: "out\n[hook lint] bad", Shell: &event.ShellRun{Note: "\n[hook lint] bad"}},
		"process failed (exit code 3)": {Outcome: event.Failed, Output: "[exit code 3]\n[hook lint] bad", Shell: &event.ShellRun{ExitCode: 3, Note: "[exit code 3]\n[hook lint] bad"}},
		"process timed out (timed out after 2 s)": {
			Outcome: event.Failed, Output: "[timed out after 2 s]\n[hook lint] bad",
			Shell: &event.ShellRun{ExitCode: -1, TimedOut: true, Note: "[timed out after 2 s]\n[hook lint] bad"},
		},
	} {
		if got := problemOf(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
