package demo

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// demoPrompt is what the demo's clients send.
const demoPrompt = "fix the failing test"

// A demoClient is the least that a client of a dialect needs.
type demoClient struct {
	args []string // that start the server, after parley
	// first returns the lines that are sent before anything is read.
	first func(workspace string) []string
	// answer returns what follows from a line of the server: lines to send, or the turn's end.
	answer func(line demoLine) (send []string, ended bool, err error)
}

// A demoLine is what the clients read of a server's line, whatever its dialect.
type demoLine struct {
	ID         jsontext.Value `json:"id"`
	Type       string         `json:"type"`
	Method     string         `json:"method"`
	RequestID  string         `json:"request_id"`
	StopReason string         `json:"stop_reason"`
	Status     string         `json:"status"`
	Result     struct {
		SessionID string `json:"session_id"`
		Thread    struct {
			ID string `json:"id"`
		} `json:"thread"`
	} `json:"result"`
	Params struct {
		Pending *bool `json:"pending"`
		Turn    struct {
			Status string `json:"status"`
		} `json:"turn"`
	} `json:"params"`
	PermissionRequired *struct {
		ToolUseID string `json:"tool_use_id"`
	} `json:"PermissionRequired"`
	Complete jsontext.Value `json:"Complete"`
	Error    jsontext.Value `json:"Error"`
}

func readDemoLine(line []byte) (l demoLine, err error) {
	return l, json.Unmarshal(line, &l)
}

func nothingFirst(string) []string { return nil }

// demoClients are the clients by dialect.
var demoClients = map[string]demoClient{
	"scaiflux": {
		args: []string{"scaiflux", "serve", "--permission-mode", "workspace-write"}, first: nothingFirst,
		answer: func(l demoLine) ([]string, bool, error) {
			switch l.Type {
			case "ready":
				return []string{fmt.Sprintf(`{"type":"prompt","text":%q}`, demoPrompt)}, false, nil
			case "permission_request":
				return []string{fmt.Sprintf(`{"type":"permission_response","request_id":%q,"decision":"allow"}`, l.RequestID)}, false, nil
			case "turn_complete":
				return []string{`{"type":"shutdown"}`}, true, demoEnd(l.StopReason, "end_turn")
			}
			return nil, false, nil
		},
	},
	"flint": {
		args: []string{"flint"},
		first: func(workspace string) []string {
			return []string{
				`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"demo","version":"1"}}}`, `{"method":"initialized"}`,
				fmt.Sprintf(`{"id":2,"method":"thread/start","params":{"cwd":%q}}`, workspace),
			}
		},
		answer: func(l demoLine) ([]string, bool, error) {
			switch {
			case string(l.ID) == "2" && l.Method == "":
				return []string{fmt.Sprintf(`{"id":3,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":%q}]}}`, l.Result.Thread.ID, demoPrompt)}, false, nil
			case len(l.ID) > 0 && l.Method != "": // a request of the server's: an approval
				return []string{fmt.Sprintf(`{"id":%s,"result":{"decision":"accept"}}`, l.ID)}, false, nil
			case l.Method == "turn/completed":
				return nil, true, demoEnd(l.Params.Turn.Status, "completed")
			}
			return nil, false, nil
		},
	},
	"loaf": {
		args: []string{"loaf", "rpc"},
		first: func(string) []string {
			return []string{`{"jsonrpc":"2.0","id":1,"method":"session.create"}`}
		},
		answer: func(l demoLine) ([]string, bool, error) {
			switch {
			case string(l.ID) == "1":
				return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session.send","params":{"session_id":%q,"text":%q}}`, l.Result.SessionID, demoPrompt)}, false, nil
			case l.Method == "session.status" && l.Params.Pending != nil && !*l.Params.Pending:
				return nil, true, nil
			}
			return nil, false, nil
		},
	},
	"agentair": {
		args: []string{"agentair", "--single-permissions"},
		first: func(string) []string {
			return []string{fmt.Sprintf(`{"session_id":1,"content":%q,"turn_id":{"role":"User","sequence":1}}`, demoPrompt)}
		},
		answer: func(l demoLine) ([]string, bool, error) {
			switch {
			case l.PermissionRequired != nil:
				return []string{fmt.Sprintf(`{"PermissionResponse":{"tool_use_id":%q,"response":{"granted":true}}}`, l.PermissionRequired.ToolUseID)}, false, nil
			case l.Error != nil:
				return nil, true, fmt.Errorf("the turn failed: %s", l.Error)
			}
			return nil, l.Complete != nil, nil
		},
	},
	"pisces": {
		args: []string{"pisces", "--mode", "rpc"},
		first: func(string) []string {
			return []string{fmt.Sprintf(`{"id":"1","type":"prompt","message":%q}`, demoPrompt)}
		},
		answer: func(l demoLine) ([]string, bool, error) {
			if l.Type != "prompt_result" {
				return nil, false, nil
			}
			return nil, true, demoEnd(l.Status, "completed")
		},
	},
}

func demoEnd(status, want string) error {
	if status != want {
		return fmt.Errorf("the turn ended as %s", status)
	}
	return nil
}
