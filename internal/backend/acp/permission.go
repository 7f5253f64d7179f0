package acp

import (
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
)

// ask yields a request for permission.
func (t *turn) ask(f rpc.Frame) {
	var p permissionParams
	if json.Unmarshal(f.Params, &p) != nil || p.SessionID != t.agent.ID() || p.ToolCall.ID == "" {
		refuse(t.agent.conn, f)
		return
	}
	t.call(update{toolCall: p.ToolCall.toolCall, Content: p.ToolCall.Content, Kind: "tool_call_update"})
	t.release()
	answer := t.await(f, permissionResult{outcome{Outcome: "cancelled"}})
	t.send(backend.Ask{Call: p.ToolCall.ID, Answer: func(v backend.Verdict) { answer(permissionResult{choose(p.Options, v)}) }}, nil)
}

// refuse answers a request that nothing is done about: what waits for the user is withdrawn.
func refuse(c *rpc.Conn, f rpc.Frame) {
	var err error
	switch f.Method {
	case "session/request_permission":
		err = c.Reply(f.ID, permissionResult{outcome{Outcome: "cancelled"}})
	case "elicitation/create":
		err = c.Reply(f.ID, elicitationResult{Action: "cancel"})
	default:
		c.Refuse(f)
	}
	_ = err // the reader finds out that the process is gone
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
