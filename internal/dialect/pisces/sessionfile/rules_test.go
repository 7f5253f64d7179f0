package sessionfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// entriesOf returns the entries that records give, each as its id, the one before it, its type, and
// what it says.
func entriesOf(all []event.Record) (lines []string) {
	s := newScribe(around(), "")
	for _, rec := range all {
		for _, e := range s.write(rec) {
			said := ""
			if m := e.Message(); m != nil {
				said = " " + string(m.MessageRole()) + " " + message.SummaryOf(m).Text
			}
			lines = append(lines, e.ID+" < "+e.Parent+" "+e.Type+said)
		}
	}
	return lines
}

// TestRulesInFiles: a cut answer is in the file only if later requests contain it; the message that
// replaces it always is, and a reminder never.
func TestRulesInFiles(t *testing.T) {
	kept := entriesOf(recordtest.Records(recordtest.CutTurn(false)...))
	want := []string{
		"message user go", "message assistant so b", "custom_message custom Mind r.", "ttsr_injection", "message assistant so g", "message assistant done",
	}
	check := func(name string, got, want []string) {
		t.Helper()
		parent := ""
		var says []string
		for _, line := range got {
			id, rest, _ := strings.Cut(line, " < ")
			before, said, _ := strings.Cut(rest, " ")
			if before != parent {
				t.Errorf("%s: %s hangs on %q, not on %q", name, id, before, parent)
			}
			parent = id
			says = append(says, said)
		}
		if diff := cmp.Diff(want, says[2:]); diff != "" { // after model and thinking
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	check("kept", kept, want)
	check("void", entriesOf(recordtest.Records(recordtest.CutTurn(true)...)), append(want[:1:1], want[2:]...))
	after := recordtest.Records(
		recordtest.Created(), event.TurnStarted{}, recordtest.Says("go"), event.StepStarted{Step: 1}, event.AssistantMessage{Blocks: []model.Block{model.TextBlock("soft")}}, event.StepEnded{Step: 1},
		recordtest.Objects(false), event.StepStarted{Step: 2}, event.AssistantMessage{Blocks: []model.Block{model.TextBlock("ok")}}, event.StepEnded{Step: 2},
	)
	check("after", entriesOf(after), []string{"message user go", "message assistant soft", "custom_message custom Mind r.", "ttsr_injection", "message assistant ok"})
}

// TestKeptBehindReminder: a compaction that keeps from a reminder on keeps from the first entry
// after it; one directly after it names itself.
func TestKeptBehindReminder(t *testing.T) {
	for name, test := range map[string]struct {
		before int // the records before it
		want   string
	}{"some come between": {15, "0000000d"}, "directly after": {11, "0000000c"}} {
		s := newScribe(around(), "")
		var last Entry
		for _, rec := range recordtest.Records(append(recordtest.CutTurn(true)[:test.before:test.before], event.Compacted{Summary: "s", KeptFrom: 11})...) {
			for _, e := range s.write(rec) {
				last = e
			}
		}
		if got := last.compaction().FirstKeptEntryID; got != test.want || test.before == 11 && got != last.ID {
			t.Errorf("%s: kept from %s, want %s", name, got, test.want)
		}
	}
}

// TestBranchToReminder: what comes after a reminder that the head was moved to hangs on the
// entry before it.
func TestBranchToReminder(t *testing.T) {
	all := recordtest.Records(append(recordtest.CutTurn(true), event.Branched{Head: 11}, event.TurnStarted{}, recordtest.Says("again"))...)
	lines := entriesOf(all)
	if got := lines[len(lines)-1]; got != "00000012 < 00000009 message user again" {
		t.Error(got)
	}
}

// TestImportTodos: the plan of a file is that of the last result on its path.
func TestImportTodos(t *testing.T) {
	result := func(id, parent, call, tasks string) string {
		return `{"type":"message","id":"` + id + `a","parentId":"` + parent + `","timestamp":"2026-04-05T10:20:33.000Z","message":{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"` + call + `","name":"todo_write","arguments":{}}]}}` + "\n" +
			`{"type":"message","id":"` + id + `","parentId":"` + id + `a","timestamp":"2026-04-05T10:20:34.000Z","message":{"role":"toolResult","toolCallId":"` + call + `","toolName":"todo_write","content":[],"isError":false,"details":{"phases":[{"id":"phase-1","name":"Build","tasks":[` + tasks + `]}],"storage":"session","more":1}}}` + "\n"
	}
	text := recordtest.Header + `{"type":"message","id":"u","parentId":null,"timestamp":"2026-04-05T10:20:32.000Z","message":{"role":"user","content":"go"}}` + "\n" +
		result("one", "u", "c1", `{"id":"task-1","content":"Write","status":"in_progress","notes":"n","extra":true},{"id":"task-2","content":"Drop","status":"abandoned"}`) +
		result("two", "one", "c2", `{"id":"task-1","content":"Write","status":"completed"}`) +
		`{"type":"message","id":"v","parentId":"one","timestamp":"2026-04-05T10:21:00.000Z","message":{"role":"user","content":"go on"}}` + "\n"
	_, all := checkRoundTrip(t, text)
	var plan event.PlanUpdated
	updates := 0
	for _, rec := range all {
		if e, ok := rec.Event.(event.PlanUpdated); ok {
			plan = e
			updates++
		}
	}
	want := event.PlanUpdated{
		Items: []event.PlanItem{{Text: "Write", Status: event.InProgress}},
		Phases: []event.PlanPhase{{ID: "phase-1", Name: "Build", Tasks: []event.PlanTask{
			{ID: "task-1", Text: "Write", Status: event.InProgress, Notes: "n"}, {ID: "task-2", Text: "Drop", Status: event.Abandoned},
		}}},
	}
	if diff := cmp.Diff(want, plan); diff != "" || updates != 3 {
		t.Errorf("%d updates:\n%s", updates, diff)
	}
}
