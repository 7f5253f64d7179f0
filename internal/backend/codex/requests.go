package codex

import (
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
)

// The requests of the agent that are served.
const (
	methodCommand     = "item/commandExecution/requestApproval"
	methodFileChange  = "item/fileChange/requestApproval"
	methodPermissions = "item/permissions/requestApproval"
	methodQuestion    = "item/tool/requestUserInput"
	methodElicitation = "mcpServer/elicitation/request"
)

// serve takes a request of the agent.
func (t *turn) serve(f rpc.Frame) {
	switch f.Method {
	case methodCommand, methodFileChange, methodPermissions:
		var p approvalParams
		if json.Unmarshal(f.Params, &p) != nil || p.ItemID == "" {
			refuse(t.agent.conn, f)
			return
		}
		t.requestApproval(f, p)
	case methodQuestion:
		t.ask(f)
	case methodElicitation:
		t.elicit(f)
	default:
		t.agent.conn.Refuse(f)
	}
}

// refuse answers a request that nothing is done about: what would be allowed is not.
func refuse(c *rpc.Conn, f rpc.Frame) {
	var result any
	switch f.Method {
	case methodCommand, methodFileChange:
		result = decisionResult{"cancel"}
	case methodPermissions:
		result = noPermissions
	case methodQuestion:
		result = questionResult{map[string]questionAnswer{}}
	case methodElicitation:
		result = elicitationResult{Action: "cancel"}
	default:
		c.Refuse(f)
		return
	}
	_ = c.Reply(f.ID, result) // the reader finds out that the process is gone
}

var noPermissions = permissionsResult{Permissions: jsontext.Value("{}"), Scope: "turn"}

// requestApproval yields a request for the approval of a command, a change or permissions. One that is about something else
// than the item is a call of its own.
func (t *turn) requestApproval(f rpc.Frame, p approvalParams) {
	id := callID(p.ThreadID, p.ItemID, p.ThreadID == t.agent.id)
	c := t.calls[id]
	if c == nil || c.ended || c.asked || f.Method == methodPermissions || p.Kind == "writeStdin" || p.Network != nil {
		c = t.openRequest(f, p, id)
	}
	c.asked = true
	t.wait(f, c, p.Reason, func(v backend.Verdict) any {
		switch {
		case f.Method == methodPermissions && v.Allow && !v.Cancel:
			return permissionsResult{p.Permissions, "turn"}
		case f.Method == methodPermissions:
			return noPermissions
		}
		return decisionResult{decisionOf(v, "accept", "decline", "cancel")}
	})
}

func decisionOf(v backend.Verdict, allow, deny, cancel string) string {
	switch {
	case v.Cancel:
		return cancel
	case v.Allow:
		return allow
	}
	return deny
}

// openRequest yields a call that a request is made for. It ends when the request has its answer.
func (t *turn) openRequest(f rpc.Frame, p approvalParams, item string) *call {
	c := &call{id: item + "/" + firstOf(p.ApprovalID, string(f.ID)), request: string(f.ID)}
	b := backend.Call{ID: c.id, Name: "request_permissions", Input: jsontext.Value("{}")}
	b.Level, b.Summary, b.Dir = approval.Execute, p.Reason, ""
	switch {
	case f.Method == methodPermissions:
		if p.Permissions.Kind() == jsontext.KindBeginObject {
			b.Input = p.Permissions.Clone()
		}
		b.Paths = permittedPaths(p.Permissions)
	case p.Network != nil:
		b.Name, b.URL = "network", p.Network.Protocol+"://"+p.Network.Host
		b.Input, _ = json.Marshal(map[string]string{"url": b.URL}) // of a text: cannot fail
		b.Summary = firstOf(p.Reason, "connect to "+b.URL)
	case p.Kind == "writeStdin":
		b.Name, b.Summary = "write_stdin", firstOf(p.Reason, p.Command)
		b.Input, _ = json.Marshal(map[string]string{"command": p.Command})
	case f.Method == methodFileChange:
		b.Name, b.Paths = "fileChange", nil
		if p.GrantRoot != "" {
			b.Paths = []string{p.GrantRoot}
		}
	default:
		b.Name, b.Tool, b.Command, b.Dir, b.Unconfined = "commandExecution", "shell", commandOf(p.Command), p.Cwd, !t.agent.confined
		b.Input, _ = json.Marshal(map[string]string{"command": b.Command})
	}
	b.Summary = firstOf(b.Summary, b.Command, b.Name)
	t.calls[c.id] = c
	t.order = append(t.order, c)
	t.message.grown = true
	t.send(b, nil)
	return c
}

// permittedPaths returns the files and folders that permissions would open.
func permittedPaths(value jsontext.Value) (paths []string) {
	var p permissions
	if json.Unmarshal(value, &p) != nil || p.FileSystem == nil {
		return nil
	}
	paths = append(paths, p.FileSystem.Write...)
	paths = append(paths, p.FileSystem.Read...)
	for _, e := range p.FileSystem.Entries {
		if path := firstOf(e.Path.Path, e.Path.Pattern); e.Access != "deny" && path != "" && e.Path.Type != "special" {
			paths = append(paths, path)
		}
	}
	return paths
}

// wait yields a request for approval, whose answer the function makes of a verdict.
func (t *turn) wait(f rpc.Frame, c *call, reason string, answer func(backend.Verdict) any) {
	t.asks.Add(1)
	done := sync.OnceFunc(func() { t.asks.Add(-1) })
	t.send(backend.Ask{Call: c.id, Reason: reason, Answer: func(v backend.Verdict) {
		done()
		c.verdict.Store(denied)
		if v.Allow && !v.Cancel {
			c.verdict.Store(allowed)
		}
		_ = t.agent.conn.Reply(f.ID, answer(v)) // the reader finds out that the process is gone
	}}, nil)
}

// resolve ends the call of a request that has its answer.
func (t *turn) resolve(request jsontext.Value) {
	id := strings.TrimSpace(string(request))
	for _, c := range t.order {
		if c.request == "" || c.request != id || c.ended {
			continue
		}
		c.ended = true
		switch c.verdict.Load() {
		case allowed:
			t.send(backend.CallEnd{Call: c.id, Outcome: event.Succeeded, Text: "[allowed]"}, nil)
		case denied:
			t.send(backend.CallEnd{Call: c.id, Outcome: event.Denied, NotRun: true, Text: "[denied]"}, nil)
		}
	}
}
