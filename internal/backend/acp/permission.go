package acp

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
)

// noticeChanged is the code of the Note that a request for permission does not fit its call.
const noticeChanged = "backend_changed"

// ask yields a request for permission.
func (t *turn) ask(f rpc.Frame) {
	var p permissionParams
	if json.Unmarshal(f.Params, &p) != nil || p.SessionID != t.agent.ID() || p.ToolCall.ID == "" {
		refuse(t.agent.conn, f)
		return
	}
	t.call(update{toolCall: p.ToolCall.toolCall, Content: p.ToolCall.Content}) // it may be the first report of the call
	c := t.calls[p.ToolCall.ID]
	if c.begun != nil && !c.ended && c.changed() { // what would be decided is not what runs
		t.send(backend.Note{Level: event.Warning, Code: noticeChanged, Text: fmt.Sprintf("%s requests permission for something else than it has reported; it is denied: %s.", t.agent.backend.o.Name, c.Title)}, nil)
		_ = t.agent.conn.Reply(f.ID, permissionResult{choose(p.Options, backend.Verdict{})}) // the reader finds out that the process is gone
		return
	}
	t.release(c)
	answer := t.await(f, permissionResult{outcome{Outcome: "cancelled"}})
	t.send(backend.Ask{Call: c.ID, Answer: func(v backend.Verdict) { answer(permissionResult{choose(p.Options, v)}) }}, nil)
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
