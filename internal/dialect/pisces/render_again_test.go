package pisces

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// transient returns events that no journal has.
func transient(events ...event.Event) (all []event.Record) {
	for _, e := range events {
		all = append(all, event.Record{Time: recordtest.Start, Event: e})
	}
	return all
}

// shownTypes returns the types of the lines that records cause, with what they say about the end.
func shownTypes(t *testing.T, all []event.Record) string {
	t.Helper()
	v := newView(message.NewFold(around()), func() (string, string) { return "s", "" }, nil, nil)
	c := newChecker()
	c.ready, c.credit, c.expanded = true, 1, true
	var types []string
	seq := uint64(0)
	for _, rec := range all {
		if rec.Seq != 0 {
			seq++
			rec.Seq = seq
		}
		for _, line := range v.render(rec) {
			c.line(line)
			kind, rest, _ := lineType(line)
			for _, detail := range []string{`"success":true`, `"success":false`, `"aborted":true`, `"willRetry":true`, `"Retry cancelled"`, `failed: no`} {
				if strings.HasPrefix(kind, "auto_") && strings.Contains(string(rest), detail) {
					kind += " " + strings.ReplaceAll(detail, `"`, "")
				}
			}
			if !strings.HasPrefix(kind, "message_") && !strings.HasPrefix(kind, "turn_") {
				types = append(types, kind)
			}
		}
	}
	c.end(false)
	if len(c.problems) > 0 {
		t.Errorf("the rules of order are broken: %q", c.problems)
	}
	return strings.Join(types, ", ")
}

// TestRenderAgain: what lies between two runs of one turn of the engine.
func TestRenderAgain(t *testing.T) {
	t.Parallel()
	failure := event.Failure{Kind: "overloaded", Message: "503 overloaded"}
	long := event.Failure{Kind: "context_too_long", Message: "too long"}
	head := append(recordtest.Records(recordtest.Created(), event.TurnStarted{}, recordtest.Says("go"), event.StepStarted{Step: 1}), transient(event.TextDelta{Block: 0, Text: "Ha"})...)
	retry := transient(event.RetryStarted{Attempt: 1, Max: 3, Delay: event.Duration(2e9), Failure: failure})
	half := recordtest.Records(event.AssistantMessage{Stop: model.StopEnd, Blocks: []model.Block{model.TextBlock("Half.")}}, event.StepEnded{Step: 1})
	again := transient(event.ContextEstimated{}, event.TextDelta{Block: 0, Text: "Half."})
	succeeded := transient(event.RetryEnded{Succeeded: true})
	plain := append(transient(event.TextDelta{Block: 0, Text: "lf."}), half...)
	overflow := transient(event.CompactionStarted{Reason: event.CompactOverflow, Failure: &long})
	threshold := transient(event.CompactionStarted{Reason: event.CompactThreshold})
	over := recordtest.Records(event.TurnEnded{Reason: event.TurnCompleted})
	cut := recordtest.Records(event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnInterrupted})
	for _, test := range []struct {
		name  string
		parts [][]event.Record
		want  string
	}{
		{"retried", [][]event.Record{head, retry, again, half[:1], succeeded, half[1:], over}, "agent_start, agent_end, auto_retry_start, agent_start, auto_retry_end success:true, agent_end"},
		{"wait cut short", [][]event.Record{head, retry, transient(event.RetryEnded{Cancelled: true}), cut}, "agent_start, agent_end, auto_retry_start, auto_retry_end success:false Retry cancelled"},
		{
			"tried in vain",
			[][]event.Record{head, retry, transient(event.ContextEstimated{}, event.RetryEnded{}), recordtest.Records(event.StepEnded{Step: 1, Failure: &failure}, event.TurnEnded{Reason: event.TurnFailed, Failure: &failure})},
			"agent_start, agent_end, auto_retry_start, agent_start, agent_end, auto_retry_end success:false",
		},
		{
			"too long",
			[][]event.Record{head, overflow, recordtest.Records(event.Compacted{Reason: event.CompactOverflow, Summary: "s"}), again, half, over},
			"agent_start, agent_end, auto_compaction_start, auto_compaction_end willRetry:true, agent_start, agent_end",
		},
		{
			"no room",
			[][]event.Record{head, overflow, recordtest.Records(event.Notice{Code: engine.NoticeCompactionFailed, Text: "no"}), recordtest.Records(event.StepEnded{Step: 1, Failure: &long}, event.TurnEnded{Reason: event.TurnFailed, Failure: &long})},
			"agent_start, agent_end, auto_compaction_start, auto_compaction_end failed: no",
		},
		{"much", [][]event.Record{head, plain, threshold, recordtest.Records(event.Compacted{Reason: event.CompactThreshold, Summary: "s"}), over}, "agent_start, agent_end, auto_compaction_start, auto_compaction_end"},
		{
			"much, interrupted",
			[][]event.Record{head, plain, threshold, recordtest.Records(event.Notice{Code: engine.NoticeCompactionInterrupted}), recordtest.Records(event.TurnEnded{Reason: event.TurnInterrupted})},
			"agent_start, agent_end, auto_compaction_start, auto_compaction_end aborted:true",
		},
		{"other notices", [][]event.Record{head, plain, threshold, recordtest.Records(event.Notice{Code: "other"}, event.Compacted{Reason: event.CompactThreshold, Summary: "s"}), over}, "agent_start, agent_end, auto_compaction_start, auto_compaction_end"},
		{"asked for", [][]event.Record{recordtest.Records(recordtest.Created()), transient(event.CompactionStarted{Reason: event.CompactAsked}), recordtest.Records(event.Compacted{Reason: event.CompactAsked, Summary: "s"})}, ""},
	} {
		var all []event.Record
		for _, part := range test.parts {
			all = append(all, part...)
		}
		t.Run(test.name, func(t *testing.T) {
			if got := shownTypes(t, all); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestBlocksWithoutText: thoughts of which nothing can be shown take no place among the blocks.
func TestBlocksWithoutText(t *testing.T) {
	t.Parallel()
	for _, signature := range []string{"openai:s", "anthropic-redacted:s"} {
		sealed := model.Block{Kind: model.KindThinking, Signature: signature}
		all := append(recordtest.Records(recordtest.Created(), event.TurnStarted{}, recordtest.Says("go"), event.StepStarted{Step: 1}), transient(
			event.TextDelta{Block: 1, Text: "Ha"}, event.TextDelta{Block: 1, Text: "lf."},
		)...)
		all = append(all, recordtest.Records(
			event.AssistantMessage{Stop: model.StopTools, Blocks: append([]model.Block{sealed, model.TextBlock("Half.")}, recordtest.Calls("c bash")...)},
			event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnInterrupted},
		)...)
		if got := shownTypes(t, all); got != "agent_start, tool_execution_start, tool_execution_end, agent_end" {
			t.Errorf("%s: got %s", signature, got)
		}
	}
}
