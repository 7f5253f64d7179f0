package codex

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// FuzzDecode has lines of clients: those that are understood can be written again and mean the same, the others have an error that names
// what is wrong.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"id":"initialize","method":"initialize","params":{"clientInfo":{"name":"a","title":null,"version":"1"},"capabilities":{"experimentalApi":true,"optOutNotificationMethods":["x"]}}}`,
		`{"id":2,"method":"thread/start","params":{"cwd":"/a","approvalPolicy":{"granular":{"sandbox_approval":true,"rules":true,"mcp_elicitations":false}},"sandbox":"read-only","config":{"a.b":1},"ephemeral":true}}`,
		`{"id":2,"method":"thread/start","params":{"dynamicTools":[{"name":"n","description":"d","inputSchema":{"type":"object"}}],"permissions":":workspace"}}`,
		`{"id":"q","method":"turn/start","params":{"threadId":"T","input":[{"type":"image","url":"data:image/png;base64,QUJD"},{"type":"text","text":"a","text_elements":[]},{"type":"skill","name":"s","path":"/s"}],"outputSchema":{"type":"object"}}}`,
		`{"id":3,"method":"turn/start","params":{"threadId":"T","input":[{"type":"text","text":"a"}],"sandboxPolicy":{"type":"workspaceWrite","writableRoots":["/b"]},"collaborationMode":{"mode":"plan","settings":{"model":"m"}}}}`,
		`{"id":4,"method":"turn/steer","params":{"threadId":"T","expectedTurnId":"U","input":[{"type":"mention","name":"n","path":"/n"}]}}`,
		`{"id":5,"method":"turn/interrupt","params":{"threadId":"T","turnId":"U"}}`,
		`{"id":6,"method":"thread/list","params":{"limit":5,"sortKey":"updated_at","cwd":["/a","/b"],"sourceKinds":[]}}`,
		`{"id":7,"method":"thread/resume","params":{"threadId":"T","excludeTurns":true,"history":null}}`,
		`{"id":8,"method":"config/batchWrite","params":{"edits":[{"keyPath":"model","value":"m","mergeStrategy":"replace"}]}}`,
		`{"id":9,"method":"command/exec","params":{"command":["ls"],"timeoutMs":5}}`,
		`{"id":10,"method":"account/login/start","params":{"type":"apiKey","apiKey":"k"}}`,
		`{"id":0,"result":{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["ls"]}}}}`, `{"id":0,"result":{"answers":{"q":{"answers":["Accept"]}}}}`,
		`{"id":0,"error":{"code":1,"message":"no"}}`, `{"method":"initialized"}`, `[`, `{"id":1.5,"method":"x"}`, `{"id":null,"method":"turn/start"}`, `{"id":1,"method":"turn/start","params":7}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		copied := bytes.Clone(line)
		frame, bad := jsonrpc.Parse(line, frames)
		if bad != nil {
			return
		}
		switch frame.Kind {
		case jsonrpc.Response:
			response{frame.ID, frame.Result, frame.Error}.decision()
		case jsonrpc.Request:
			checkRequest(t, request{frame.ID, frame.Method, frame.Params})
		default:
		}
		if !bytes.Equal(line, copied) {
			t.Fatal("the line was changed")
		}
	})
}

func checkRequest(t *testing.T, r request) {
	for _, experimental := range []bool{true, false} {
		h, refused := (&conn{experimental: experimental}).find(r)
		if refused != nil {
			checkRefusal(t, r.id, refused)
			continue
		}
		params, err := h.decode(r.params)
		if err != nil {
			checkRefusal(t, r.id, paramsError(err))
			continue
		}
		first := jsontext.Value(marshal(params))
		again, err := h.decode(first)
		if err != nil {
			t.Fatalf("%s: %s", first, paramsError(err).Message)
		}
		if second := marshal(again); !bytes.Equal(first, second) {
			t.Fatalf("first %s\nthen %s", first, second)
		}
	}
}

// checkRefusal wants the error to be one that the client has made, as a line.
func checkRefusal(t *testing.T, id jsonrpc.ID, refused *jsonrpc.Error) {
	line := errorLine(id, refused)
	if refused.Code == jsonrpc.CodeInternalError || refused.Message == "" {
		t.Fatalf("%s is no error of the client", line)
	}
	if _, err := wire.ParseObject(line, wire.ObjectOptions{}); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}
