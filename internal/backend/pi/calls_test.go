package pi

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
)

// TestInputs: what a call of pi's tools needs, and the input of our own tool.
func TestInputs(t *testing.T) {
	for _, row := range []struct {
		name, args string
		tool       string
		level      approval.Level
		path       string
		input      string // "": the arguments
	}{
		{"read", `{"path":"a.txt","offset":3,"limit":2}`, "read", approval.Read, "/w/a.txt", `{"path":"a.txt","offset":3,"limit":2}`},
		{"read", `{"path":"~/x"}`, "read", approval.Read, "/home/test/x", `{"path":"~/x"}`},
		{"read", `{"path":"~"}`, "read", approval.Read, "/home/test", `{"path":"~"}`},
		{"read", `{"path":"~x"}`, "read", approval.Read, "/w/~x", `{"path":"~x"}`},
		{"write", `{"path":"@/etc/x","content":"y"}`, "write", approval.Write, "/etc/x", `{"path":"@/etc/x","content":"y"}`},
		{"write", `{"path":"@~/x","content":""}`, "write", approval.Write, "/home/test/x", `{"path":"@~/x","content":""}`},
		{"write", `{"path":"a\u00a0b","content":""}`, "write", approval.Write, "/w/a b", "{\"path\":\"a\u00a0b\",\"content\":\"\"}"},
		{"edit", `{"path":"../a","oldText":"b","newText":"c"}`, "edit", approval.Write, "/a", `{"path":"../a","edits":[{"old":"b","new":"c"}]}`},
		{
			"grep", `{"pattern":"a.b","literal":true,"ignoreCase":true,"glob":"*.go","context":2,"limit":9}`, "grep", approval.Read, "/w",
			`{"pattern":"a\\.b","glob":"*.go","mode":"content","ignore_case":true,"context":2,"head_limit":9}`,
		},
		{"find", `{"pattern":"*.go","path":"x"}`, "glob", approval.Read, "/w/x", `{"pattern":"*.go","path":"x"}`},
		{"ls", `{"limit":5}`, "list", approval.Read, "/w", `{"limit":5}`},
		{"edit", `{"path":"a","patch":"other"}`, "", approval.Execute, "", ""},
		{"read", `{"file":"a"}`, "", approval.Execute, "", ""},
		{"write", `{"path":7}`, "", approval.Execute, "", ""},
		{"deploy", `{"path":"a"}`, "", approval.Execute, "", ""},
		{"deploy", ``, "", approval.Execute, "", "{}"},
	} {
		k := knownOf(row.name, jsontext.Value(row.args), "/w", "/home/test")
		input, path := row.input, ""
		if input == "" {
			input = row.args
		}
		if len(k.request.Paths) == 1 {
			path = k.request.Paths[0]
		}
		if k.tool != row.tool || k.request.Level != row.level || path != row.path || string(k.input) != input {
			t.Errorf("%s %s: %s %s %q %s", row.name, row.args, k.tool, k.request.Level, path, k.input)
		}
	}
}

// TestGrowth: the output so far comes whole, or as its end.
func TestGrowth(t *testing.T) {
	for _, row := range []struct{ before, text, want string }{
		{"", "a\n", "a\n"},
		{"a\n", "a\nb\n", "b\n"},
		{"a\n", "a\n", ""},
		{"a\nb\nc\n", "b\nc\nd\n", "d\n"},
		{"a\na\na\n", "a\na\nb\n", "b\n"},
		{"a\n", "x\n", "x\n"},
		{"a\n", "", ""},
	} {
		if got := growth(row.before, row.text); got != row.want {
			t.Errorf("growth(%q, %q) = %q, want %q", row.before, row.text, got, row.want)
		}
	}
}

// FuzzEvents: no line of pi breaks a turn: what cannot be read is left out.
func FuzzEvents(f *testing.F) {
	for _, line := range []string{
		`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"x"}}`,
		`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input":1,"cost":{"total":0.1}}}}`,
		`{"type":"tool_execution_start","toolCallId":"c1","toolName":"bash","args":{"command":"x"}}`,
		`{"type":"tool_execution_update","toolCallId":"c1","partialResult":{"content":[{"type":"text","text":"x"}]}}`,
		`{"type":"tool_execution_end","toolCallId":"c1","result":{"content":[],"details":{"diff":"+1 x\n   ...\n-"}},"isError":true}`,
		`{"type":"auto_retry_start","attempt":1,"delayMs":-5}`, `{"type":"auto_retry_end","success":false}`,
		`{"type":"compaction_start"}`, `{"type":"compaction_end","result":{"summary":"x"},"willRetry":true}`,
		`{"type":"extension_ui_request","id":"x","method":"notify","message":"m"}`,
		`{"type":"extension_error","error":"x"}`, `{"type":"response","id":1,"success":false,"error":"x"}`, `{"type":"agent_end","messages":[null]}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		frame, answer, ok := codec{}.Parse(text)
		if !ok || answer || frame.Request() {
			return
		}
		t1 := newTurn(&agent{backend: New(Options{})}, func(u backend.Update, err error) bool {
			if err != nil || lineOf(u) == "" {
				t.Errorf("%v, %v", u, err)
			}
			return true
		})
		defer t1.close()
		for range 2 {
			if over, err := t1.take(frame); over || err != nil {
				t.Errorf("over: %v, %v", over, err)
			}
		}
	})
}
