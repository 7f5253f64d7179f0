package loaf

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestStrangeRecords: records that are none of this protocol disturb nothing.
func TestStrangeRecords(t *testing.T) {
	v := (&conn{}).pastView(t.Context(), "s")
	dialecttest.Strange(t, func(rec event.Record) int { return len(v.render(rec)) },
		event.UserMessage{ID: "e", Via: event.ByEngine, Blocks: []model.Block{model.TextBlock("go on")}})
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
