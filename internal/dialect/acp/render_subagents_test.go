package acp

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// ofSubagent returns an event of the subagent name of the call parent.
func ofSubagent(parent event.CallID, name string, e event.Event) event.SubagentRecorded {
	return event.SubagentRecorded{Call: parent, Task: name, Name: name, Agent: "task", Session: "s-" + event.SessionID(name), Dir: "/copy", Record: event.Record{Event: e}}
}

// askedCall returns the call that a permission is asked for.
func askedCall(t *testing.T, messages []any) ToolCall {
	t.Helper()
	if len(messages) != 1 {
		t.Fatalf("%d messages", len(messages))
	}
	return messages[0].(approvalRequest).params.ToolCall
}

// TestPermissionsOfSubagents: a permission names the call of the subagent that needs it, of several that need the same each
// once, also where the subagent works for another one, and none that was settled without the user.
func TestPermissionsOfSubagents(t *testing.T) {
	v := testView()
	task := event.ToolIntended{Call: "t", Name: "task", Tool: toolTask, Input: jsontext.Value(`{}`)}
	shell := event.ToolIntended{Call: "c", Name: "shell", Tool: toolShell, Input: jsontext.Value(`{"command":"make"}`)}
	asked := func(id event.ApprovalID, call event.CallID) event.ApprovalAsked {
		return event.ApprovalAsked{ID: id, Call: call, Request: approval.Request{Tool: "shell", Level: approval.Execute, Command: "make", Dir: "/copy"}, Input: shell.Input}
	}
	v.see(task)
	for _, name := range []string{"0-A", "1-B", "2-C"} {
		v.see(ofSubagent("t", name, shell))
		v.see(ofSubagent("t", name, asked("a-1", "c")))
	}
	v.see(ofSubagent("t", "1-B", event.ApprovalAnswered{ID: "a-1", Allowed: true, By: event.ByPolicy}))
	v.see(ofSubagent("t", "3-D", task))
	v.see(ofSubagent("t", "3-D", ofSubagent("t", "0-E", shell)))
	v.see(ofSubagent("t", "3-D", ofSubagent("t", "0-E", asked("a-1", "c"))))
	v.see(ofSubagent("t", "3-D", asked("a-1", "t")))
	got := map[string]string{}
	for _, id := range []event.ApprovalID{"a-1", "a-2", "a-3"} {
		c := askedCall(t, v.see(asked(id, "t")))
		got[c.ToolCallID] = c.Meta.Parley.Parent
	}
	want := map[string]string{"0-A/c": "t", "2-C/c": "t", "3-D/0-E/c": "3-D/t"}
	for id, parent := range want {
		if got[id] != parent {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if c := askedCall(t, v.see(event.ApprovalAsked{ID: "a-4", Call: "t", Request: approval.Request{Tool: "x"}, Input: shell.Input})); c.ToolCallID != "t" {
		t.Errorf("what no subagent is known to need is asked for %s", c.ToolCallID)
	}
}

// TestProgressOfSubagents: the call that has subagents shows what each of them does.
func TestProgressOfSubagents(t *testing.T) {
	v := testView()
	v.see(event.ToolIntended{Call: "t", Name: "task", Tool: toolTask, Input: jsontext.Value(`{}`)})
	got := v.see(event.TasksProgressed{Call: "t", Tasks: []event.TaskProgress{
		{Task: event.Task{ID: "0-A", Agent: "explore", Description: "Looks"}, Status: event.TaskRunning, Current: "read", Input: `{"path":"a"}`, Output: []string{"First.", "I look."}},
		{Task: event.Task{ID: "1-B", Agent: "task"}, Status: event.TaskPending},
	}})
	const want = "- Looks (explore): running, read {\"path\":\"a\"}\n  I look.\n- 1-B (task): pending\n"
	if text := *got[0].(ToolCall).Content[0].(ContentOfTool).Content.Text; text != want {
		t.Errorf("got %q", text)
	}
}
