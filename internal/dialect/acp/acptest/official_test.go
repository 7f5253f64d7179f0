package acptest

import (
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// A step is a frame without its jsonrpc member, and what must be wrong with it.
type step struct {
	from  string // "client" or "agent"
	frame string
	want  string // part of the error; "": the frame is right
}

const (
	update3  = `"method":"session/update","params":{"sessionId":"s","update":`
	asksFor3 = `"id":3,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}`
)

func TestOfficial(t *testing.T) {
	for _, test := range []struct {
		name  string
		draft string
		steps []step
	}{
		{"a dialogue", V1, []step{
			{"client", `"id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"ed","version":"1"}}`, ""},
			{"agent", `"id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"close":{}}},"authMethods":[],"agentInfo":{"name":"p","version":"1"},"_meta":{"x":{"y":1}}}`, ""},
			{"client", `"id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":[{"name":"m","command":"c","args":[],"env":[]},{"type":"http","name":"h","url":"u","headers":[]}]}`, ""},
			{"agent", `"id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]},"configOptions":[{"id":"mode","name":"Mode","category":"_own","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"}]}]}`, ""},
			{"client", `"id":"two","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hello"},{"type":"resource","resource":{"uri":"file:///a","text":"x"}}]}`, ""},
			{"agent", update3 + `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"edit","status":"pending","rawInput":{"any":["thing"]}}}`, ""},
			{"agent", asksFor3, ""},
			{"client", `"id":3,"result":{"outcome":{"outcome":"selected","optionId":"a"}}`, ""},
			{"agent", update3 + `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"diff","path":"/a","oldText":null,"newText":"x"}]}}`, ""},
			{"agent", `"id":4,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a","content":""}`, ""},
			{"agent", `"method":"$/cancel_request","params":{"requestId":4}`, ""},
			{"client", `"id":4,"result":null`, ""},
			{"client", `"method":"session/cancel","params":{"sessionId":"s"}`, ""},
			{"agent", `"id":"two","result":{"stopReason":"cancelled"}`, ""},
			{"client", `"id":5,"method":"_own/thing","params":[1]`, ""},
			{"agent", `"id":5,"error":{"code":-32601,"message":"no","data":{"method":"_own/thing"}}`, ""},
			{"agent", `"id":null,"error":{"code":-32700,"message":"not JSON"}`, ""},
		}},
		{"wrong values", V1, []step{
			{"agent", update3 + `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"edits"}}`, "edits does not equal any of"},
			{"agent", update3 + `{"sessionUpdate":"tool_call","toolCallId":"c"}}`, `missing properties: ["title"]`},
			{"agent", update3 + `{"sessionUpdate":"tool_call","toolCallId":7,"title":"t"}}`, "ToolCallId"},
			{"agent", update3 + `{"sessionUpdate":"unknown_update","content":{"type":"text","text":"x"}}}`, "unknown_update does not equal any of"},
			{"agent", update3 + `{"sessionUpdate":"current_mode_update","modeId":"ask"}}`, "currentModeId"},
			{"agent", update3 + `{"sessionUpdate":"plan","entries":[{"content":"x","priority":"medium","status":"done"}]}}`, "done does not equal any of"},
			{"agent", update3 + `{"sessionUpdate":"usage_update","used":-1,"size":5}}`, "minimum"},
			{"agent", `"id":1,"method":"terminal/create","params":{"sessionId":"s"}`, `missing properties: ["command"]`},
			{"agent", `"id":1,"method":"elicitation/create","params":{"mode":"form","message":"m","sessionId":"s"}`, "requestedSchema"},
			{"client", `"id":1,"method":"session/new","params":{"cwd":"/a"}`, "mcpServers"},
			{"client", `"id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":[{"name":"m","command":"c"}]}`, "args"},
		}},
		{"members that the schema does not define", V1, []step{
			{"agent", update3 + `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","extra":1}}`, "member that the schema does not define"},
			{"agent", update3 + `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","more":1}}}`, "member that the schema does not define"},
			{"agent", update3 + `{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","locations":[{"path":"/a","column":1}]}}`, "member that the schema does not define"},
			{"agent", `"method":"session/update","params":{"sessionId":"s","more":1,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}`, "member that the schema does not define"},
			{"agent", update3 + `{"sessionUpdate":"agent_message_chunk","_meta":{"any":1},"content":{"type":"text","text":"x","_meta":{"any":1}}}}`, ""},
			{"agent", `"method":"session/update","more":1,"params":{}`, "unknown member more"},
			{"client", `"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}`, ""},
			{"agent", `"id":1,"result":{"stopReason":"end_turn","usage":{"totalTokens":1,"inputTokens":1,"outputTokens":0}}`, "member that the schema does not define"},
		}},
		{"frames", V1, []step{
			{"agent", `"id":1`, "not exactly one of result and error"},
			{"agent", `"id":1,"result":{},"error":{"code":1,"message":"m"}`, "not exactly one of result and error"},
			{"agent", `"id":1,"result":{}`, "no request 1 waits for an answer"},
			{"agent", `"id":1.5,"result":{}`, "id is no string, integer or null"},
			{"agent", `"more":1`, "neither a call nor an answer"},
			{"agent", `"method":7`, "method is no string"},
			{"agent", `"id":1,"method":"session/prompt","params":{}`, "no request session/prompt to the client"},
			{"agent", `"method":"session/request_permission","params":{}`, "no notification session/request_permission to the client"},
			{"client", `"id":1,"method":"session/archive","params":{"sessionId":"s"}`, "no request session/archive to the agent"},
			{"agent", `"id":1,"error":{"code":-32601,"message":"no"}`, ""},
			{"agent", `"id":1,"error":{"code":-32601,"message":"no"}`, "no request 1 waits for an answer"},
			{"client", `"id":2,"method":"session/close","params":{"sessionId":"s"}`, ""},
			{"agent", `"id":"2","result":{}`, "no request 2 waits for an answer"},
			{"agent", `"id":2,"error":{"code":"x","message":"no"}`, "ErrorCode"},
			{"client", `"id":2,"method":"session/close","params":{"sessionId":"s"}`, ""},
			{"agent", `"id":2,"error":{"code":-32603,"message":"two\nlines"}`, "line break"},
		}},
		{"unstable", V1Unstable, []step{
			{"client", `"id":1,"method":"session/archive","params":{"sessionId":"s"}`, ""},
			{"agent", `"id":1,"result":{}`, ""},
			{"client", `"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}`, ""},
			{"agent", `"id":2,"result":{"stopReason":"end_turn","usage":{"totalTokens":1,"inputTokens":1,"outputTokens":0}}`, ""},
		}},
		{"version 2", V2, []step{
			{"client", `"id":1,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"ed","version":"1"}}`, ""},
			{"agent", `"id":1,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{}}}},"info":{"name":"p","version":"1"},"authMethods":[]}`, ""},
			{"client", `"id":2,"method":"session/load","params":{}`, "no request session/load to the agent"},
			{"agent", update3 + `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}`, ""},
			{"agent", update3 + `{"sessionUpdate":"state_update","state":"idle","stopReason":7}}`, "stopReason"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := NewOfficial(test.draft)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range test.steps {
				check := map[string]func([]byte) error{"client": o.FromClient, "agent": o.FromAgent}[s.from]
				err := check([]byte(`{"jsonrpc":"2.0",` + s.frame + `}`))
				switch {
				case s.want == "" && err != nil:
					t.Error(err)
				case s.want != "" && (err == nil || !strings.Contains(strings.SplitN(err.Error(), " in {", 2)[0], s.want)):
					t.Errorf("%s: %v, want an error with %q", s.frame, err, s.want)
				}
			}
		})
	}
}

func TestOfficialWantsFrames(t *testing.T) {
	const twice = `[{"jsonrpc":"2.0","id":1,"method":"session/list"},{"jsonrpc":"2.0","id":2,"method":"session/list"}]`
	for _, test := range []struct{ draft, line, want string }{
		{V1, `{"jsonrpc":"1.0","method":"session/list","id":1}`, `jsonrpc is not "2.0"`},
		{V1, `{"jsonrpc":"2.0","id":1,"id":2,"method":"session/list"}`, "not JSON"},
		{V1, `{`, "not JSON"},
		{V1, `7`, "not an object"},
		{V1, twice, "not an object"},
		{V2, twice, ""},
		{V2, `[]`, "not an object"},
	} {
		o, err := NewOfficial(test.draft)
		if err != nil {
			t.Fatal(err)
		}
		err = o.FromClient([]byte(test.line))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.line, err, test.want)
		}
	}
	if _, err := NewOfficial("v3"); err == nil {
		t.Error("there is a version 3")
	}
}

func TestUnanswered(t *testing.T) {
	o, err := NewOfficial(V1)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2", "3"} {
		if err := o.FromClient([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"session/list","params":{}}`)); err != nil {
			t.Error(err)
		}
	}
	if err := o.FromAgent([]byte(`{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}`)); err != nil {
		t.Error(err)
	}
	if got := strings.Join(o.Unanswered(), ", "); got != "session/list 1, session/list 3" {
		t.Errorf("without an answer: %s", got)
	}
}

// TestSchemasUseKnownKeywords wants no keyword in a schema that closing its objects would overlook.
func TestSchemasUseKnownKeywords(t *testing.T) {
	for draft, read := range documents {
		d, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.source, "@agentclientprotocol/sdk ") || !strings.HasSuffix(d.source, "licence Apache-2.0") {
			t.Errorf("%s is from %q", draft, d.source)
		}
		eachSchema(d.parts.Schema(), func(s *jsonschema.Schema) {
			if s.PatternProperties != nil || s.PrefixItems != nil || s.DependentSchemas != nil || s.Else != nil || s.UnevaluatedItems != nil || s.DynamicRef != "" || s.Contains != nil || s.PropertyNames != nil {
				t.Errorf("%s: a schema has a keyword that is not visited: %+v", draft, s)
			}
		})
	}
}
