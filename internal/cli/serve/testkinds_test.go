package serve

import (
	"fmt"
	"strings"
)

// A clientKind is a protocol, and how its clients enter a session. Lines have the places of [dialogue.Dialect].
type clientKind struct {
	name    string
	dialect string
	role    string // of its token; "": it is the user
	args    []string
	env     map[string]string
	hello   []string
	// enter sends what enters the session, after hello. It returns marks of the line that says that the client is in it, and of
	// the one that says that it is refused.
	enter func(c *testClient, session string) (in, refused string)

	prompt string   // $ID is a number that was not used before, $HANDLE what names the session on the connection
	ended  []string // marks of the end of a turn; none: it has no such line for the turns of others
}

// answerMarks are the marks of the answer to the request with the id 1.
func answerMarks() (in, refused string) { return `"id":1,"result"`, `"id":1,"error"` }

// nativeKind is a client of the native protocol with a role.
func nativeKind(name, role string) *clientKind {
	return &clientKind{
		name: name, dialect: "native", role: role,
		hello: []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":1,"client":{"name":"` + name + `"}}}`},
		enter: func(c *testClient, session string) (string, string) {
			c.send(`{"jsonrpc":"2.0","id":"open","method":"session/open","params":{"session":"` + session + `"}}`)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"session/follow","params":{"session":"` + session + `","from":1,"transient":["text_delta","tool_input_delta","tool_output","retry_started","compaction_started"]}}`)
			return answerMarks()
		},
		prompt: `{"jsonrpc":"2.0","id":$ID,"method":"turn/prompt","params":{"session":"$SESSION","id":"p-$ID","blocks":[{"kind":"text","text":$TEXT}]}}`,
		ended:  []string{`"kind":"turn_ended"`},
	}
}

// acpKind is a client of a version of ACP.
func acpKind(version int) *clientKind {
	load := `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"$SESSION","cwd":"$DIR","mcpServers":[]}}`
	var ended []string
	if version == 2 {
		ended = []string{`"state_update"`, `"idle"`}
		load = `{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"$SESSION","cwd":"$DIR","replayFrom":{"type":"start"}}}`
	}
	return &clientKind{
		name: fmt.Sprintf("acp v%d", version), dialect: "acp", env: map[string]string{"PARLEY_ACP_V2": "1"},
		hello: []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%d,"clientCapabilities":{},"capabilities":{},"info":{"name":"t","version":"1"},"clientInfo":{"name":"t","version":"1"}}}`, version)},
		enter: func(c *testClient, session string) (string, string) {
			c.send(c.fill(load, session))
			return answerMarks()
		},
		prompt: `{"jsonrpc":"2.0","id":$ID,"method":"session/prompt","params":{"sessionId":"$SESSION","prompt":[{"type":"text","text":$TEXT}]}}`,
		ended:  ended,
	}
}

// threadKind is a client of the app-server family.
func threadKind(name string, args ...string) *clientKind {
	return &clientKind{
		name: name, dialect: name, args: args,
		hello: []string{`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}`, `{"method":"initialized"}`},
		enter: func(c *testClient, session string) (string, string) {
			c.send(c.fill(`{"id":1,"method":"thread/resume","params":{"threadId":"$SESSION"}}`, session))
			return answerMarks()
		},
		prompt: `{"id":$ID,"method":"turn/start","params":{"threadId":"$SESSION","input":[{"type":"text","text":$TEXT}]}}`,
		ended:  []string{`"method":"turn/completed"`},
	}
}

// clientKinds are the kinds of clients.
func clientKinds() []*clientKind {
	return []*clientKind{
		nativeKind("owner", "owner"),
		nativeKind("viewer", "viewer"),
		threadKind("flint"),
		threadKind("codex", "app-server"),
		{
			name: "loaf", dialect: "loaf", args: []string{"rpc"},
			hello: []string{`{"jsonrpc":"2.0","id":0,"method":"rpc.handshake","params":{"client_name":"t","client_version":"1","protocol_version":"1.0.0"}}`},
			enter: func(c *testClient, session string) (string, string) {
				c.send(`{"jsonrpc":"2.0","id":10,"method":"session.create","params":{}}`)
				_, rest, _ := strings.Cut(c.await(`"id":10,"result"`), `"session_id":"`)
				c.handle, _, _ = strings.Cut(rest, `"`)
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"command.execute","params":{"session_id":%q,"raw_command":"/history %s"}}`, c.handle, session))
				return answerMarks()
			},
			prompt: `{"jsonrpc":"2.0","id":$ID,"method":"session.send","params":{"session_id":"$HANDLE","text":$TEXT}}`,
			ended:  []string{`"method":"session.status"`, `"pending":false`},
		},
		{
			name: "agentair", dialect: "agentair", args: []string{"--resume", "$SESSION"},
			enter: func(*testClient, string) (string, string) {
				return `{"System":{"message":"Session 1 created`, `{"Error":`
			},
			prompt: `{"session_id":1,"content":$TEXT,"turn_id":{"role":"User","sequence":$ID}}`,
			ended:  []string{`{"Complete":`},
		},
		acpKind(1),
		acpKind(2),
		{
			name: "scaiflux", dialect: "scaiflux", args: []string{"serve", "--resume", "$SESSION"},
			enter:  func(*testClient, string) (string, string) { return `"type":"ready"`, `bootstrap_failed` },
			prompt: `{"type":"prompt","text":$TEXT}`,
			ended:  []string{`"type":"turn_complete"`},
		},
		{
			name: "pisces", dialect: "pisces", args: []string{"--mode", "rpc", "--session", "$SESSION"},
			enter: func(c *testClient, _ string) (string, string) {
				c.send(`{"id":"1","type":"get_state"}`)
				return `"command":"get_state"`, `"success":false`
			},
			prompt: `{"id":"$ID","type":"prompt","message":$TEXT}`,
			ended:  []string{`"type":"agent_end"`},
		},
	}
}
