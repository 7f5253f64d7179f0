package flint

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// answer returns the line that answers a refused one.
func (r *refusal) answer() string { return string(frames.AppendError(nil, r.id, r.err)) }

func value[T any](v T) *T { return &v }

func TestDecodeRequests(t *testing.T) {
	texts := func(texts ...string) UserInputs {
		var in UserInputs
		for _, text := range texts {
			in = append(in, TextInput{Type: "text", Text: text})
		}
		return in
	}
	workspace := &SandboxPolicy{Type: SandboxWorkspaceWrite, NetworkAccess: false}
	memory := map[string]McpServer{"flint_memory": {Type: "stdio", Command: "bun", Args: []string{"m.ts"}}}
	for _, test := range []struct {
		line string
		want request
	}{
		{
			`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"demo-ide","version":"1.4.0"}}}`,
			request{"1", "initialize", &InitializeParams{ClientInfo: ClientInfo{Name: "demo-ide", Version: "1.4.0"}}},
		},
		{
			`{"jsonrpc":"2.0","id":"b","method":"initialize","params":{"clientInfo":{"name":"x","title":"X","version":""},"capabilities":{"experimentalApi":true,"optOutNotificationMethods":["thread/started"],"other":1},"_meta":{}}}`,
			request{`"b"`, "initialize", &InitializeParams{
				ClientInfo{"x", "X", ""},
				ClientCapabilities{true, []string{"thread/started"}},
			}},
		},
		{
			`{"id":"b","method":"initialize","params":{"clientInfo":{"name":"x","version":"1","title":null},"capabilities":null}}`,
			request{`"b"`, "initialize", &InitializeParams{ClientInfo: ClientInfo{Name: "x", Version: "1"}}},
		},
		{`{"id":2,"method":"thread/start"}`, request{"2", "thread/start", &ThreadStartParams{}}},
		{`{"id":2,"method":"thread/start","params":null}`, request{"2", "thread/start", &ThreadStartParams{}}},
		{`{"id":2,"method":"thread/start","params":{"cwd":"/srv/shop"}}`, request{"2", "thread/start", &ThreadStartParams{Cwd: "/srv/shop"}}},
		{
			`{"id":2,"method":"thread/start","params":{"cwd":"/srv/shop","model":"gpt-none","developerInstructions":"Use the memory tools.","config":{"mcp_servers.flint_memory.command":"bun","mcp_servers.flint_memory.args":["m.ts"]},"approvalPolicy":"on-request","sandbox":"workspace-write"}}`,
			request{"2", "thread/start", &ThreadStartParams{
				Model: "gpt-none", Cwd: "/srv/shop", ApprovalPolicy: PolicyOnRequest, Sandbox: workspace, SystemPromptAppend: "Use the memory tools.",
				McpServers: memory, Config: ThreadConfig{Values: map[string]jsontext.Value{}},
			}},
		},
		{
			`{"id":2,"method":"thread/start","params":{"systemPrompt":" ","baseInstructions":" Be brief. ","systemPromptAppend":"A","developerInstructions":"B","sandbox":null,"sandboxPolicy":{"type":"readOnly"}}}`,
			request{"2", "thread/start", &ThreadStartParams{SystemPrompt: "Be brief.", SystemPromptAppend: "A", Sandbox: &SandboxPolicy{Type: SandboxReadOnly}}},
		},
		{
			`{"id":2,"method":"thread/start","params":{"sandbox":"readOnly","sandboxPolicy":{"type":"dangerFullAccess"}}}`,
			request{"2", "thread/start", &ThreadStartParams{Sandbox: &SandboxPolicy{Type: SandboxReadOnly}}},
		},
		{
			`{"id":3,"method":"thread/resume","params":{"threadId":"T1","cwd":"/srv/shop","model":"m","excludeTurns":true,"approvalPolicy":"never","sandboxPolicy":"external-sandbox","developerInstructions":"x","mcpServers":{"flint_memory":{"command":"bun","args":["m.ts"]}}}}`,
			request{"3", "thread/resume", &ThreadResumeParams{
				ThreadID: "T1", Cwd: "/srv/shop", Model: "m", ExcludeTurns: true, ApprovalPolicy: PolicyNever,
				Sandbox:            &SandboxPolicy{Type: SandboxExternal, NetworkAccess: NetworkRestricted},
				SystemPromptAppend: "x", McpServers: memory,
			}},
		},
		{`{"id":2,"method":"thread/list","params":{"limit":1}}`, request{"2", "thread/list", &ThreadListParams{Limit: value(1)}}},
		{`{"id":5,"method":"thread/list","params":{"archived":true,"cursor":"MTc5"}}`, request{"5", "thread/list", &ThreadListParams{Archived: true, Cursor: "MTc5"}}},
		{`{"id":5,"method":"thread/list","params":{"limit":500.0,"archived":null}}`, request{"5", "thread/list", &ThreadListParams{Limit: value(500)}}},
		{`{"id":4,"method":"thread/archive","params":{"threadId":"T-1_a"}}`, request{"4", "thread/archive", &ThreadArchiveParams{"T-1_a"}}},
		{
			`{"id":3,"method":"turn/start","params":{"threadId":"T1","input":[{"type":"text","text":"What is this repo?"}]}}`,
			request{"3", "turn/start", &TurnStartParams{ThreadID: "T1", Input: texts("What is this repo?")}},
		},
		{
			`{"id":9,"method":"turn/start","params":{"threadId":"T1","approvalPolicy":"never","sandboxPolicy":{"type":"readOnly"},"input":[{"type":"text","text":"create x.txt"}]}}`,
			request{"9", "turn/start", &TurnStartParams{ThreadID: "T1", ApprovalPolicy: PolicyNever, SandboxPolicy: &SandboxPolicy{Type: SandboxReadOnly}, Input: texts("create x.txt")}},
		},
		{
			`{"id":9,"method":"turn/start","params":{"threadId":"T1","model":"m","cwd":"/a","sandbox":"danger-full-access","input":[{"type":"text","text":""},{"type":"text","text":"b"}],"config":{"colour":"red","gone":null}}}`,
			request{"9", "turn/start", &TurnStartParams{
				ThreadID: "T1", Model: "m", Cwd: "/a", SandboxPolicy: &SandboxPolicy{Type: SandboxFullAccess},
				Input: texts("", "b"), Config: map[string]string{"colour": "red"},
			}},
		},
		{`{"id":12,"method":"turn/interrupt","params":{"threadId":"T1","turnId":"U6"}}`, request{"12", "turn/interrupt", &TurnInterruptParams{"T1", "U6"}}},
		{`{"id":1,"method":"model/list","params":{"limit":1000000}}`, request{"1", "model/list", &ModelListParams{value(1000000)}}},
		{`{"id":20,"method":"config/list"}`, request{"20", "config/list", &ConfigListParams{}}},
		{`{"id":20,"method":"config/list","params":{"limit":"x"}}`, request{"20", "config/list", &ConfigListParams{}}},
		{`{"id":21,"method":"config/set","params":{"id":"reasoning_effort","value":"high"}}`, request{"21", "config/set", &ConfigSetParams{"reasoning_effort", "high"}}},
		{`{"id":24,"method":"config/read"}`, request{"24", "config/read", &ConfigReadParams{}}},
	} {
		got, refused := decode([]byte(test.line))
		if refused != nil {
			t.Errorf("%s\nrefused: %s", test.line, refused.answer())
			continue
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(request{})); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", test.line, diff)
		}
	}
}

func TestDecodeOthers(t *testing.T) {
	for line, want := range map[string]any{
		`{"method":"initialized"}`:                                   notification{"initialized"},
		`{"method":"initialized","params":{}}`:                       notification{"initialized"},
		`{"method":"x/unheard_of","params":[1]}`:                     notification{"x/unheard_of"},
		`{"method":"turn/start","params":{}}`:                        notification{"turn/start"},
		`{"id":1000001,"result":{"decision":"accept"}}`:              response{id: "1000001", result: jsontext.Value(`{"decision":"accept"}`)},
		`{"id":1000003,"error":{"code":-32601,"message":"no"}}`:      response{id: "1000003", err: &jsonrpc.Error{Code: -32601, Message: "no"}},
		`{"id":null,"error":{"code":-32700,"message":"what?"}}`:      response{id: jsonrpc.Null, err: &jsonrpc.Error{Code: -32700, Message: "what?"}},
		`{"jsonrpc":"2.0","id":"mine","result":null,"_meta":[null]}`: response{id: `"mine"`, result: jsontext.Value(`null`)},
	} {
		got, refused := decode([]byte(line))
		if refused != nil {
			t.Errorf("%s: refused: %s", line, refused.answer())
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(notification{}, response{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", line, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	invalid := func(problem string) string {
		return `{"id":1,"error":{"code":-32602,"message":` + quoted("Invalid params: "+problem) + `}}`
	}
	call := func(method, params string) string {
		return `{"id":1,"method":"` + method + `","params":` + params + `}`
	}
	turn := func(more string) string { return call("turn/start", `{"threadId":"T1",`+more+`}`) }
	const (
		badFrame  = `{"id":null,"error":{"code":-32600,"message":"Invalid request"}}`
		parseFail = `{"id":null,"error":{"code":-32700,"message":"Parse error"}}`
		parseOne  = `{"id":1,"error":{"code":-32700,"message":"Parse error"}}`
		batch     = `{"id":null,"error":{"code":-32600,"message":"Batch requests are not supported"}}`
		hello     = `"input":[{"type":"text","text":"hi"}]`
	)
	long := "x" + strings.Repeat("ä", 300)
	for _, test := range []struct{ line, want string }{
		// Frames.
		{`{oops`, parseFail},
		{"{\"id\":1,\"method\":\"\xff\"}", parseOne},
		{`{"id":1,"method":"model/list"} x`, parseOne},
		{call("model/list", strings.Repeat("[", 300)+strings.Repeat("]", 300)), parseOne},
		{`{"method":"model/list","params":{"limit":1,},"id":1}`, parseOne},
		{`{"id":1000001,"result":{"decision":"acce"`, parseFail},
		{`[{"id":1,"method":"model/list"}]`, batch},
		{`[]`, batch},
		{`7`, badFrame},
		{`"x"`, badFrame},
		{`null`, badFrame},
		{`{}`, badFrame},
		{`{"id":1.5,"method":"model/list"}`, badFrame},
		{`{"id":null,"method":"model/list"}`, badFrame},
		{`{"id":true,"method":"model/list"}`, badFrame},
		{`{"id":[1],"method":"model/list"}`, badFrame},
		{`{"id":{},"method":"model/list"}`, badFrame},
		{`{"id":8,"method":5}`, `{"id":8,"error":{"code":-32600,"message":"Invalid request"}}`},
		{`{"id":"\u0061","params":{}}`, `{"id":"\u0061","error":{"code":-32600,"message":"Invalid request"}}`},
		{`{"method":5}`, badFrame},
		{`{"result":{}}`, badFrame},

		// Methods and params.
		{`{"id":4,"method":"thread/fork","params":{"threadId":"T1"}}`, `{"id":4,"error":{"code":-32601,"message":"Method not found: thread/fork"}}`},
		{`{"id":4,"method":"Thread/list","params":7}`, `{"id":4,"error":{"code":-32601,"message":"Method not found: Thread/list"}}`},
		{`{"id":4,"method":"initialized"}`, `{"id":4,"error":{"code":-32601,"message":"Method not found: initialized"}}`},
		{`{"id":4,"method":"` + long + `"}`, `{"id":4,"error":{"code":-32601,"message":"Method not found: x` + strings.Repeat("ä", 99) + `…"}}`},
		{call("thread/list", `[]`), invalid("params must be an object")},
		{call("config/list", `"x"`), invalid("params must be an object")},

		// Initialize.
		{`{"jsonrpc":"2.0","id":"a2","method":"initialize","params":{"clientInfo":{"version":"1"}}}`, `{"id":"a2","error":{"code":-32602,"message":"Invalid params: clientInfo.name is required"}}`},
		{call("initialize", `{}`), invalid("clientInfo is required")},
		{call("initialize", `{"clientInfo":null}`), invalid("clientInfo is required")},
		{call("initialize", `{"clientInfo":"x"}`), invalid("clientInfo must be an object")},
		{call("initialize", `{"clientInfo":{"name":"","version":"1"}}`), invalid("clientInfo.name must not be empty")},
		{call("initialize", `{"clientInfo":{"name":"x"}}`), invalid("clientInfo.version is required")},
		{call("initialize", `{"clientInfo":{"name":"x","version":1}}`), invalid("clientInfo.version must be a string")},
		{call("initialize", `{"clientInfo":{"name":"x","version":"1"},"capabilities":{"experimentalApi":1}}`), invalid("capabilities.experimentalApi must be true or false")},
		{call("initialize", `{"clientInfo":{"name":"x","version":"1"},"capabilities":{"optOutNotificationMethods":["a",2]}}`), invalid("capabilities.optOutNotificationMethods[1] must be a string")},

		// Threads.
		{call("thread/start", `{"model":5}`), invalid("model must be a string")},
		{call("thread/start", `{"cwd":"srv"}`), invalid("cwd must be an absolute path")},
		{call("thread/start", `{"cwd":""}`), invalid("cwd must be an absolute path")},
		{call("thread/start", `{"cwd":"/a\u0000b"}`), invalid("cwd must be an absolute path")},
		{call("thread/start", `{"cwd":7}`), invalid("cwd must be a string")},
		{call("thread/start", `{"approvalPolicy":"maybe"}`), invalid(`approvalPolicy must be "never", "on-request", "unlessTrusted" or "always"`)},
		{call("thread/start", `{"approvalPolicy":{}}`), invalid(`approvalPolicy must be "never", "on-request", "unlessTrusted" or "always"`)},
		{call("thread/start", `{"sandbox":"none"}`), invalid(`sandbox must be "dangerFullAccess", "readOnly", "workspaceWrite" or "externalSandbox"`)},
		{call("thread/start", `{"sandbox":{"type":"none"}}`), invalid(`sandbox.type must be "dangerFullAccess", "readOnly", "workspaceWrite" or "externalSandbox"`)},
		{call("thread/start", `{"sandbox":{}}`), invalid("sandbox.type is required")},
		{call("thread/start", `{"sandbox":true}`), invalid("sandbox must be an object")},
		{call("thread/start", `{"sandboxPolicy":{"type":"workspaceWrite","writableRoots":["/a","b"]}}`), invalid("sandboxPolicy.writableRoots[1] must be an absolute path")},
		{call("thread/start", `{"sandbox":"readOnly","sandboxPolicy":7}`), invalid("sandboxPolicy must be an object")},
		{call("thread/start", `{"sandbox":{"type":"workspaceWrite","networkAccess":"enabled"}}`), invalid("sandbox.networkAccess must be true or false")},
		{call("thread/start", `{"sandbox":{"type":"externalSandbox","networkAccess":true}}`), invalid("sandbox.networkAccess must be a string")},
		{call("thread/start", `{"sandbox":{"type":"externalSandbox","networkAccess":"on"}}`), invalid(`sandbox.networkAccess must be "restricted" or "enabled"`)},
		{call("thread/start", `{"systemPrompt":["x"]}`), invalid("systemPrompt must be a string")},
		{call("thread/start", `{"baseInstructions":1}`), invalid("baseInstructions must be a string")},
		{call("thread/start", `{"config":"x"}`), invalid("config must be an object")},
		{call("thread/resume", `{}`), invalid("threadId is required")},
		{call("thread/resume", `{"threadId":7}`), invalid("threadId must be a string")},
		{call("thread/resume", `{"threadId":"../etc"}`), `{"id":1,"error":{"code":-32001,"message":"Thread not found: ../etc"}}`},
		{call("thread/resume", `{"threadId":""}`), `{"id":1,"error":{"code":-32001,"message":"Thread not found: "}}`},
		{call("thread/archive", `{"threadId":"a b"}`), `{"id":1,"error":{"code":-32001,"message":"Thread not found: a b"}}`},
		{call("thread/archive", `{"threadId":"`+strings.Repeat("a", 129)+`"}`), `{"id":1,"error":{"code":-32001,"message":"Thread not found: ` + strings.Repeat("a", 129) + `"}}`},
		{call("thread/list", `{"limit":0}`), invalid("limit must be from 1 to 500")},
		{call("thread/list", `{"limit":501}`), invalid("limit must be from 1 to 500")},
		{call("thread/list", `{"limit":1.5}`), invalid("limit must be a whole number")},
		{call("thread/list", `{"limit":"5"}`), invalid("limit must be a whole number")},
		{call("thread/list", `{"limit":1e30}`), invalid("limit must be a number in range")},
		{call("thread/list", `{"cursor":5}`), invalid("cursor must be a string")},
		{call("thread/list", `{"archived":"yes"}`), invalid("archived must be true or false")},

		// Turns.
		{call("turn/start", `{`+hello+`}`), invalid("threadId is required")},
		{call("turn/start", `{"threadId":"T1"}`), invalid("input is required")},
		{turn(`"input":null`), invalid("input is required")},
		{turn(`"input":"hi"`), invalid("input must be an array")},
		{turn(`"input":[]`), invalid("input must not be empty")},
		{turn(`"input":[{"type":"text","text":" \n"}]`), invalid("input must hold a text that is not blank, or an image")},
		{turn(`"input":["hi"]`), invalid("input[0] must be an object")},
		{turn(`"input":[{"type":"text","text":"a"},null]`), invalid("input[1] must be an object")},
		{turn(`"input":[{"text":"a"}]`), invalid("input[0].type is required")},
		{turn(`"input":[{"type":"mention","path":"/a"}]`), invalid(`input[0].type must be "text", "image" or "localImage"`)},
		{turn(`"input":[{"type":"text"}]`), invalid("input[0].text is required")},
		{turn(`"input":[{"type":"text","text":3}]`), invalid("input[0].text must be a string")},
		{turn(`"input":[{"type":"image","url":"http://example.org/a.png"}]`), invalid("input[0].url must be an https URL, or a data URL with an image in base64")},
		{turn(`"input":[{"type":"localImage","path":"a.png"}]`), invalid("cannot read image a.png")},
		{turn(hello + `,"config":{"colour":5}`), invalid("config.colour must be a string")},
		{turn(hello + `,"sandbox":"mars"`), invalid(`sandbox must be "dangerFullAccess", "readOnly", "workspaceWrite" or "externalSandbox"`)},
		{turn(hello + `,"cwd":"./x"`), invalid("cwd must be an absolute path")},
		{call("turn/start", `{"threadId":"a/b",`+hello+`}`), `{"id":1,"error":{"code":-32001,"message":"Thread not found: a/b"}}`},
		{call("turn/interrupt", `{"threadId":"T1"}`), invalid("turnId is required")},
		{call("turn/interrupt", `{"threadId":"T.1","turnId":"U"}`), `{"id":1,"error":{"code":-32001,"message":"Thread not found: T.1"}}`},

		// Models and options.
		{call("model/list", `{"limit":0}`), invalid("limit must be at least 1")},
		{call("config/set", `{"id":"a"}`), invalid("value is required")},
		{call("config/set", `{"id":"a","value":true}`), invalid("value must be a string")},
		{call("config/set", `{"id":null,"value":"x"}`), invalid("id is required")},
	} {
		message, refused := decode([]byte(test.line))
		if refused == nil {
			t.Errorf("%s: accepted as %+v", test.line, message)
			continue
		}
		if got := refused.answer(); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.line, got, test.want)
		}
		if frame := strings.Contains(test.want, "-32601") || strings.Contains(test.want, "-32602") || strings.Contains(test.want, "-32001"); frame == (refused.method == "") {
			t.Errorf("%s: the refused method is %q", test.line, refused.method)
		}
	}
	if got, want := refuseLong([]byte(`{"id":7,"method":"turn/start","params":{"te`)).answer(), `{"id":7,"error":{"code":-32600,"message":"Message too large"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func quoted(text string) string { return string(wire.AppendString(nil, text)) }

func TestDecision(t *testing.T) {
	for result, want := range map[string]Decision{
		`{"decision":"accept"}`:             Accept,
		`{"decision":"acceptForSession"}`:   AcceptForSession,
		`{"decision":"decline","_meta":{}}`: Decline,
		`{"decision":"cancel"}`:             Cancel,
		`{"decision":"Accept"}`:             "",
		`{"decision":null}`:                 "",
		`{"decision":["accept"]}`:           "",
		`{}`:                                "",
		`"accept"`:                          "",
		`null`:                              "",
	} {
		message, refused := decode([]byte(`{"id":1000001,"result":` + result + `}`))
		if refused != nil {
			t.Fatal(refused.answer())
		}
		if got, ok := message.(response).decision(); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", result, got, ok)
		}
	}
	message, _ := decode([]byte(`{"id":1000001,"result":{"decision":"accept"},"error":{"code":1}}`))
	if got, ok := message.(response).decision(); ok {
		t.Errorf("an error decides %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"a","version":"1"},"capabilities":{"optOutNotificationMethods":[]}}}`,
		`{"id":2,"method":"thread/start","params":{"cwd":"/a","sandbox":{"type":"workspaceWrite","writableRoots":["/b"]},"mcpServers":{"x":{"command":"c","env":{"A":"1"}}},"config":{"mcp_servers.x.http_headers.A":"b","mcp_servers":{"y":{"url":"http://h"}}}}}`,
		`{"id":"q","method":"turn/start","params":{"threadId":"T","input":[{"type":"image","url":"data:image/png;base64,QUJD"},{"type":"text","text":"a","_meta":{"x":1}}],"config":{"a":"b"}}}`,
		`{"id":3,"method":"thread/list","params":{"limit":5}}`, `{"id":1000001,"result":{"decision":"accept"}}`, `{"method":"initialized"}`, `[`, `{"id":1.5,"method":"x"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		copied := string(line)
		message, refused := decode(line)
		if string(line) != copied {
			t.Fatal("the line was changed")
		}
		if (message == nil) != (refused != nil) {
			t.Fatalf("%+v and %+v", message, refused)
		}
		if refused != nil {
			if refused.err.Code == jsonrpc.CodeInternalError {
				t.Fatalf("%s is an internal error", line)
			}
			if _, err := wire.ParseObject([]byte(refused.answer()), wire.ObjectOptions{}); err != nil {
				t.Fatalf("%s: %v", refused.answer(), err)
			}
			return
		}
		if r, ok := message.(response); ok {
			r.decision()
		}
		r, ok := message.(request)
		if !ok {
			return
		}
		// What was understood can be said again, and means the same.
		params := said(t, r.params)
		again, refused := decode(frames.AppendRequest(nil, r.id, r.method, params))
		if refused != nil {
			t.Fatalf("%s: %s", params, refused.answer())
		}
		if second := said(t, again.(request).params); !bytes.Equal(params, second) || again.(request).id != r.id {
			t.Fatalf("first %s\nthen %s", params, second)
		}
	})
}

func said(t *testing.T, params any) []byte {
	text, err := json.Marshal(params, json.Deterministic(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func BenchmarkDecode(b *testing.B) {
	for name, line := range map[string]string{
		"turn":     `{"id":3,"method":"turn/start","params":{"threadId":"0198c0de-0000-7000-8000-000000000001","input":[{"type":"text","text":"What is this repo?"}],"model":"claude-x"}}`,
		"response": `{"id":1000001,"result":{"decision":"accept"}}`,
		"bad":      `{"id":3,"method":"turn/start","params":{"threadId":7}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if message, refused := decode([]byte(line)); (message == nil) != (refused != nil) {
					b.Fatal(message, refused)
				}
			}
		})
	}
}
