package engine

import (
	"context"
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestSubagentRecords: followers see what subagents record, also those of subagents, in the order of the session: a call that
// needs an approval comes before the approval, and all of it before the end of the call that the subagent works for.
func TestSubagentRecords(t *testing.T) {
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "worked"} })
	deeper := func(w *tool.SubagentTask) { w.Agent, w.Tasks = "small", &TaskSettings{} }
	b := newBench(t, []fakeTool{work, delegate(deeper, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "task", `{}`)), call(toolCall("3", "work", `{}`)), say("deep"), say("child"), say("done"))
	s := b.session(t, func(o *Options, settings *event.Settings) {
		o.Approvals = ApproveByMode{[]approval.Rule{{Tool: "task", Verdict: approval.Allow}}}
		settings.Mode = string(approval.Prompt)
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindSubagentRecorded)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	var seen []string
	untilEnd(t, records, func(rec event.Record) {
		at := ""
		for inner, ok := rec.Event.(event.SubagentRecorded); ok; inner, ok = rec.Event.(event.SubagentRecorded) {
			if inner.Agent != "small" || inner.Session == "" || inner.Dir != s.State().Dir() {
				t.Errorf("%+v", inner)
			}
			at += string(inner.Call) + "/" + inner.Name + "/"
			rec = inner.Record
		}
		switch e := rec.Event.(type) {
		case event.ToolIntended:
			seen = append(seen, "begin "+at+string(e.Call))
		case event.ApprovalAsked:
			seen = append(seen, "ask "+at+string(e.Call))
			if at == "" {
				answerWith(t, s, e.ID, Decision{Allow: true})
			}
		case event.ToolEnded:
			seen = append(seen, "end "+at+string(e.Call))
		}
	})
	want := []string{
		"begin 1", "begin 1/0-Do/2", "begin 1/0-Do/2/0-Do/3", "ask 1/0-Do/2/0-Do/3", "ask 1/0-Do/2", "ask 1",
		"end 1/0-Do/2/0-Do/3", "end 1/0-Do/2", "end 1",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}
