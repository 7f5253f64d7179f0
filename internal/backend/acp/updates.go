package acp

import (
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
)

// take yields what a frame reports. What cannot be read is left out: agents are newer than this program.
func (t *turn) take(f rpc.Frame) (over bool, err error) {
	switch f.Method {
	case "":
		if f.ID != t.prompt && f.ID != "" {
			return false, nil
		}
		return true, t.end(f)
	case "session/update":
		var p updateParams
		var u update
		if json.Unmarshal(f.Params, &p) == nil && p.SessionID == t.agent.id && json.Unmarshal(p.Update, &u) == nil {
			t.update(u)
		}
	case "session/request_permission":
		t.ask(f)
	default:
		if f.Request() {
			t.agent.conn.Refuse(f)
		}
	}
	return t.over, nil
}

func (t *turn) update(u update) {
	switch u.Kind {
	case "agent_message_chunk", "agent_thought_chunk":
		var c content
		if json.Unmarshal(u.Content, &c) != nil {
			return
		}
		t.release()
		text := textOf(c)
		if u.Kind == "agent_thought_chunk" {
			t.send(backend.Thought{Message: u.MessageID, Text: text}, nil)
		} else {
			t.send(backend.Text{Message: u.MessageID, Text: text}, nil)
		}
	case "tool_call", "tool_call_update":
		t.call(u)
	case "plan":
		t.release()
		t.send(planOf(u.Entries), nil)
	case "usage_update":
		t.usage(u)
	}
}

// textOf returns the text of a block: what is no text is named.
func textOf(c content) string {
	switch c.Type {
	case "text":
		return c.Text
	case "resource_link":
		return "[" + firstOf(c.Name, c.URI) + "](" + c.URI + ")"
	case "resource":
		if c.Resource != nil {
			return firstOf(c.Resource.Text, c.Resource.URI)
		}
	}
	return "[" + c.Type + "]"
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func planOf(entries []planEntry) backend.Plan {
	var plan backend.Plan
	for _, e := range entries {
		status := event.PlanStatus(e.Status)
		if status != event.InProgress && status != event.Completed {
			status = event.Pending
		}
		plan.Items = append(plan.Items, event.PlanItem{Text: e.Content, Status: status})
	}
	return plan
}

// usage yields what an update says of context and cost. The agent's cost is a sum over the session.
func (t *turn) usage(u update) {
	next := backend.Usage{Context: u.Used, Window: u.Size}
	if u.Cost != nil && u.Cost.Currency == "USD" {
		next.Cost = max(u.Cost.Amount-t.agent.spent, 0)
		t.agent.spent = max(u.Cost.Amount, t.agent.spent)
	}
	t.send(next, nil)
}

// ask yields a request for permission.
func (t *turn) ask(f rpc.Frame) {
	var p permissionParams
	if json.Unmarshal(f.Params, &p) != nil || p.SessionID != t.agent.id || p.ToolCall.ID == "" {
		refuse(t.agent.conn, f)
		return
	}
	t.call(update{toolCall: p.ToolCall.toolCall, Content: p.ToolCall.Content})
	t.release()
	t.asks.Add(1)
	answer := sync.OnceFunc(func() { t.asks.Add(-1) })
	t.send(backend.Ask{Call: p.ToolCall.ID, Answer: func(v backend.Verdict) {
		answer()
		_ = t.agent.conn.Reply(f.ID, permissionResult{choose(p.Options, v)}) // the reader finds out that the process is gone
	}}, nil)
}

// refuse answers a request that nothing is done about: permissions are withdrawn.
func refuse(c *rpc.Conn, f rpc.Frame) {
	if f.Method != "session/request_permission" {
		c.Refuse(f)
		return
	}
	_ = c.Reply(f.ID, permissionResult{outcome{Outcome: "cancelled"}}) // the reader finds out that the process is gone
}

// choose returns the option that a verdict comes to: one for this call only, where there is one. For an agent without such an option
// the request is cancelled.
func choose(options []permissionOption, v backend.Verdict) outcome {
	if !v.Cancel {
		kind := "reject_once"
		if v.Allow {
			kind = "allow_once"
		}
		for _, o := range options {
			if o.Kind == kind {
				return outcome{"selected", o.ID}
			}
		}
		for _, o := range options {
			if !v.Allow && strings.HasPrefix(o.Kind, "reject") {
				return outcome{"selected", o.ID}
			}
		}
	}
	return outcome{Outcome: "cancelled"}
}
