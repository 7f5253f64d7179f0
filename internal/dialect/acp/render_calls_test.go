package acp

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// testView returns the view of a session in /w, in a turn.
func testView() *view {
	v := &view{
		dir: "/w", workspace: "/w",
		texts: func(engine.ChangeOf) (before, after string, ok bool) { return "", "", false },
		exact: func(approval.Request, approval.Scope) []approval.Grant { return nil },
	}
	v.render(event.Record{Turn: "t", Event: event.TurnStarted{Prompt: "p"}})
	return v
}

// see renders an event of the running turn.
func (v *view) see(e event.Event) []any {
	return v.render(event.Record{Turn: "t", Time: time.Unix(1, 0), Event: e})
}

// TestCallsEndOnce: whatever the records are, each call begins with a tool_call, ends once, and nothing of it follows.
func TestCallsEndOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := testView()
		v.caps.Meta.TerminalOutput = rapid.Bool().Draw(t, "terminals")
		state := map[string]ToolStatus{}
		check := func(messages []any) {
			for _, m := range messages {
				if a, ok := m.(approvalRequest); ok {
					id := a.params.ToolCall.ToolCallID
					if s := state[id]; s != ToolPending && s != ToolInProgress {
						t.Fatalf("%s is asked about, which is %q", id, s)
					}
				}
				c, ok := m.(ToolCall)
				if !ok {
					continue
				}
				before, begun := state[c.ToolCallID]
				if begun == (c.SessionUpdate == "tool_call") || before == ToolCompleted || before == ToolFailed {
					t.Fatalf("%s of %s, which is %q", c.SessionUpdate, c.ToolCallID, before)
				}
				if c.Status != "" {
					state[c.ToolCallID] = c.Status
				} else {
					state[c.ToolCallID] = before
				}
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "records") {
			e := drawCallEvent(t)
			if rapid.Bool().Draw(t, "subagent") {
				e = event.SubagentRecorded{Call: "c0", Task: "0-A", Name: "0-A", Agent: "task", Session: "s2", Dir: "/w", Record: event.Record{Event: e}}
			}
			check(v.see(e))
		}
		check(v.see(event.TurnEnded{Reason: event.TurnInterrupted}))
		for id, s := range state {
			if s != ToolCompleted && s != ToolFailed {
				t.Fatalf("%s is %q at the end", id, s)
			}
		}
	})
}

func drawCallEvent(t *rapid.T) event.Event {
	id := event.CallID(fmt.Sprintf("c%d", rapid.IntRange(0, 2).Draw(t, "call")))
	tool := rapid.SampledFrom([]string{toolShell, toolWrite, toolPlan, toolTask, ""}).Draw(t, "tool")
	intended := event.ToolIntended{Call: id, Name: "x", Tool: tool, Input: jsontext.Value(`{"command":"ls","path":"a"}`)}
	request := approval.Request{Tool: "x", Command: "ls", Dir: "/w"}
	return rapid.SampledFrom([]event.Event{
		intended,
		event.ToolStarted{Call: id},
		event.ToolOutput{Call: id, Text: "x"},
		event.ChangesProposed{Call: id, Changes: []event.FileChange{changeOf("a\n", "b\n", true)}},
		event.ApprovalAsked{ID: "a-1", Call: id, Request: request, Input: intended.Input},
		event.ApprovalAnswered{ID: "a-1"},
		event.ToolEnded{Call: id, Outcome: event.Succeeded, Output: "done"},
		event.ToolEnded{Call: id, Outcome: event.OutcomeUnknown},
		event.TasksProgressed{Call: id, Tasks: []event.TaskProgress{{Status: event.TaskRunning}}},
	}).Draw(t, "event")
}

// TestHiddenCallIsAskedAbout: a call that is not shown by itself is shown before the user is asked about it.
func TestHiddenCallIsAskedAbout(t *testing.T) {
	v := testView()
	plan := event.ToolIntended{Call: "c", Name: "plan", Tool: toolPlan, Input: jsontext.Value(`{}`)}
	if got := v.see(plan); len(got) > 0 {
		t.Fatalf("a plan is shown as %v", got)
	}
	got := v.see(event.ApprovalAsked{ID: "a-1", Call: "c", Input: plan.Input})
	if len(got) != 2 || got[0].(ToolCall).SessionUpdate != "tool_call" || got[1].(approvalRequest).params.ToolCall.ToolCallID != "c" {
		t.Errorf("got %v", got)
	}
}

// TestEnds: how a call has ended is what the model reads of it, and its status.
func TestEnds(t *testing.T) {
	intended := event.ToolIntended{Call: "c", Name: "shell", Tool: toolShell, Input: jsontext.Value(`{"command":"make"}`)}
	for want, end := range map[string]event.ToolEnded{
		`"status":"failed","content":[{"type":"content","content":{"type":"text","text":"gone"}}],"rawOutput":{"text":"gone"}}`: {
			Call: "c", Outcome: event.OutcomeUnknown, Output: "gone",
		},
		`"status":"completed","content":[{"type":"content","content":{"type":"text","text":"no rule"}}],"rawOutput":{"text":"no rule","exitCode":2}}`: {
			Call: "c", Outcome: event.Failed, Output: "no rule", Shell: &event.ShellRun{ExitCode: 2},
		},
		`"status":"failed","content":[{"type":"content","content":{"type":"text","text":"too slow"}}],"rawOutput":{"text":"too slow"}}`: {
			Call: "c", Outcome: event.Failed, Output: "too slow", Shell: &event.ShellRun{ExitCode: -1, TimedOut: true},
		},
		`"status":"failed","content":[{"type":"content","content":{"type":"text","text":"the user denied this call"}}]}`: {
			Call: "c", Outcome: event.Denied, Output: "the user denied this call",
		},
	} {
		v := testView()
		v.see(intended)
		got := string(marshal(v.see(end)[0]))
		if want := `{"sessionUpdate":"tool_call_update","toolCallId":"c",` + want; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
