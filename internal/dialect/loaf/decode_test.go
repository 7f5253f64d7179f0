package loaf

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// answer returns the line that answers a refused one.
func (r *refusal) answer() string { return string(frames.AppendError(nil, r.id, r.err)) }

func quoted(text string) string { return string(wire.AppendString(nil, text)) }

func asking(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func asks(method string) string { return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"}` }

func TestDecodeRequests(t *testing.T) {
	const shot = "/path/to/screenshot.png"
	for _, test := range []struct {
		line string
		want request
	}{
		// The examples of the document.
		{
			`{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"session_id":"abc123","text":"Hello, loaf!"}}`,
			request{"1", "session.send", &SessionSendParams{SessionID: "abc123", Text: "Hello, loaf!"}},
		},
		{
			`{"jsonrpc":"2.0","id":1,"method":"rpc.handshake","params":{"client_name":"my_client","client_version":"1.0.0","protocol_version":"1.0.0"}}`,
			request{"1", "rpc.handshake", &HandshakeParams{ClientName: "my_client", ProtocolVersion: "1.0.0"}},
		},
		{
			`{"jsonrpc":"2.0","id":2,"method":"session.create","params":{"title":"My Session"}}`,
			request{"2", "session.create", &SessionCreateParams{"My Session"}},
		},
		{
			`{"jsonrpc":"2.0","id":3,"method":"session.send","params":{"session_id":"abc123","text":"Write a hello world function","images":[{"path":"` + shot + `"}]}}`,
			request{"3", "session.send", &SessionSendParams{"abc123", "Write a hello world function", []ImageInput{{Path: shot}}, false}},
		},
		{
			`{"jsonrpc":"2.0","id":3,"method":"session.send","params":{"session_id":"abc123","text":"What's in this image?","images":[{"data_url":"data:image/png;base64,iVBORw0KGgo...","mime_type":"image/png"}]}}`,
			request{"3", "session.send", &SessionSendParams{"abc123", "What's in this image?", []ImageInput{{"", "image/png", "data:image/png;base64,iVBORw0KGgo..."}}, false}},
		},
		{`{"jsonrpc":"2.0","id":4,"method":"session.get","params":{"session_id":"abc123"}}`, request{"4", "session.get", &SessionParams{"abc123"}}},
		{`{"jsonrpc":"2.0","id":5,"method":"session.interrupt","params":{"session_id":"abc123"}}`, request{"5", "session.interrupt", &SessionParams{"abc123"}}},
		{`{"jsonrpc":"2.0","id":6,"method":"state.get"}`, request{"6", "state.get", &NoParams{}}},
		{`{"jsonrpc":"2.0","id":7,"method":"model.list"}`, request{"7", "model.list", &ModelListParams{}}},
		{`{"jsonrpc":"2.0","id":999,"method":"system.shutdown","params":{"reason":"client_exit"}}`, request{"999", "system.shutdown", &ShutdownParams{"client_exit"}}},
		// Its clients send {} where they have nothing to say.
		{`{"jsonrpc": "2.0", "id": 1, "method": "system.ping", "params": {}}`, request{"1", "system.ping", &NoParams{}}},

		// Ids.
		{`{"jsonrpc":"2.0","id":null,"method":"system.ping"}`, request{jsonrpc.Null, "system.ping", &NoParams{}}},
		{`{"jsonrpc":"2.0","id":"\u0061","method":"system.ping"}`, request{`"\u0061"`, "system.ping", &NoParams{}}},
		{`{"jsonrpc":"2.0","id":-1.50e+3,"method":"system.ping","trace":[]}`, request{"-1.50e+3", "system.ping", &NoParams{}}},
		{"\uFEFF \t" + asks("system.ping") + "\r\u00A0", request{"1", "system.ping", &NoParams{}}},

		// Members.
		{asking("rpc.handshake", `{"client_name":7,"client_version":[],"protocol_version":"0.1"}`), request{"1", "rpc.handshake", &HandshakeParams{ProtocolVersion: "0.1"}}},
		{asking("rpc.handshake", `{"protocol_version":" 1.0.0 ","strict":true,"event_format":"envelope","event_scope":"turn"}`), request{"1", "rpc.handshake", &HandshakeParams{"", "1.0.0", true, FormatEnvelope, ScopeTurn}}},
		{asking("rpc.handshake", `{"protocol_version":null,"strict":true,"event_format":" ","event_scope":null}`), request{"1", "rpc.handshake", &HandshakeParams{Strict: true}}},
		{asking("rpc.handshake", `{"strict":null,"event_format":"flat","event_scope":"all"}`), request{"1", "rpc.handshake", &HandshakeParams{"", "", false, FormatFlat, ScopeAll}}},
		{asking("system.shutdown", `{"reason":" "}`), request{"1", "system.shutdown", &ShutdownParams{}}},
		{asking("session.create", `{"title":"  Bread\n","session_id":5}`), request{"1", "session.create", &SessionCreateParams{"Bread"}}},
		{asking("session.get", `{"session_id":" a\tb\uFEFF"}`), request{"1", "session.get", &SessionParams{"a\tb"}}},
		{asking("session.get", `{"session_id":"a","session_id":"b"}`), request{"1", "session.get", &SessionParams{"b"}}},
		{
			asking("session.send", `{"session_id":"s","text":" \"hi\" \u00e4 ","enqueue":true,"images":{"path":"x"}}`),
			request{"1", "session.send", &SessionSendParams{"s", `"hi" ä`, nil, true}},
		},
		{
			asking("session.send", `{"session_id":"s","text":null,"enqueue":null,"images":[null,7,"a.png",["b.png"],{},{"path":" "},{"path":5,"data_url":false},{"mime_type":"image/png"},{"path":" c.png "},{"dataUrl":"data:x","mimeType":"image/gif"},{"data_url":"data:y","dataUrl":"data:z","path":"n","mime_type":" ","mimeType":"image/webp"},{"path":"d","mime_type":"image/png","mimeType":"image/gif"}]}`),
			request{"1", "session.send", &SessionSendParams{"s", "", []ImageInput{{Path: "c.png"}, {"", "image/gif", "data:x"}, {"n", "image/webp", "data:y"}, {"d", "image/png", ""}}, false}},
		},
		{asking("session.steer", `{"session_id":"s","text":" answer in French "}`), request{"1", "session.steer", &SessionSteerParams{"s", "answer in French"}}},
		{asking("command.execute", `{"session_id":"s","raw_command":" /history 9c1e "}`), request{"1", "command.execute", &CommandParams{"s", "/history 9c1e"}}},
		{asks("auth.connect.openai"), request{"1", "auth.connect.openai", &AuthConnectParams{Mode: AuthAuto}}},
		{asking("auth.connect.openai", `null`), request{"1", "auth.connect.openai", &AuthConnectParams{Mode: AuthAuto}}},
		{asking("auth.connect.openai", `{"mode":"device_code","originator":"x","wait":false}`), request{"1", "auth.connect.openai", &AuthConnectParams{AuthDeviceCode, "x", new(false)}}},
		{asking("auth.connect.openai", `{"mode":"browser","wait":true}`), request{"1", "auth.connect.openai", &AuthConnectParams{AuthBrowser, "", new(true)}}},
		{asking("auth.set.openrouter_key", `{"api_key":" k "}`), request{"1", "auth.set.openrouter_key", &AuthKeyParams{"k"}}},
		{asking("auth.set.exa_key", `{"api_key":"SKIP"}`), request{"1", "auth.set.exa_key", &AuthKeyParams{"SKIP"}}},
		{asking("model.list", `{"provider":"antigravity"}`), request{"1", "model.list", &ModelListParams{ProviderAntigravity}}},
		{
			asking("model.select", `{"model_id":"demo/crumb","provider":"openrouter","thinking_level":"XHIGH"}`),
			request{"1", "model.select", &ModelSelectParams{ModelID: "demo/crumb", Provider: ProviderOpenRouter, ThinkingLevel: "XHIGH"}},
		},
		{
			asking("model.select", `{"model_id":"m","provider":"openai","thinking_level":"silly","openrouter_provider":"Baker","session_id":"s","compress_immediately":true}`),
			request{"1", "model.select", &ModelSelectParams{"m", ProviderOpenAI, "silly", "baker", "s", true}},
		},
		{asking("model.openrouter.providers", `{"model_id":"a/b"}`), request{"1", "model.openrouter.providers", &OpenRouterProvidersParams{"a/b"}}},
		{asks("history.list"), request{"1", "history.list", &HistoryListParams{100, 0}}},
		{asking("history.list", `{"limit":0,"cursor":null}`), request{"1", "history.list", &HistoryListParams{100, 0}}},
		{asking("history.list", `{"limit":3.9,"cursor":7.9}`), request{"1", "history.list", &HistoryListParams{3, 7}}},
		{asking("history.list", `{"limit":0.4,"cursor":-3}`), request{"1", "history.list", &HistoryListParams{1, 0}}},
		{asking("history.list", `{"limit":-5.5,"cursor":1e300}`), request{"1", "history.list", &HistoryListParams{1, 1 << 53}}},
		{asks("history.get"), request{"1", "history.get", &HistoryGetParams{}}},
		{asking("history.get", `{"id":"9c1e","last":true,"rollout_path":"/a.jsonl"}`), request{"1", "history.get", &HistoryGetParams{"9c1e", true, "/a.jsonl"}}},
		{asking("history.clear_session", `{"session_id":"s"}`), request{"1", "history.clear_session", &SessionParams{"s"}}},
		{asking("debug.set", `{"super_debug":false}`), request{"1", "debug.set", &DebugParams{false}}},
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

// What the params of a method may be, if they are no object.
func TestDecodeParamsOfAnyType(t *testing.T) {
	counts := map[string]int{}
	for _, name := range methods.Get().Names() {
		for _, line := range []string{asks(name), asking(name, "null"), asking(name, "[]"), asking(name, `"x"`), asking(name, "7"), asking(name, "true")} {
			_, refused := decode([]byte(line))
			got := ""
			if refused != nil {
				got = refused.answer()
			}
			nothing := !strings.Contains(line, "params") || strings.Contains(line, "null")
			want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params for ` + name + `: expected object","data":{"reason":"invalid_params"}}}`
			switch name {
			case "system.ping", "state.get", "auth.status", "auth.connect.antigravity", "onboarding.status", "onboarding.complete", "limits.get", "skills.list", "tools.list":
				want = ""
			case "rpc.handshake", "system.shutdown", "session.create", "auth.connect.openai", "model.list", "history.list", "history.get":
				if nothing {
					want = ""
				}
			}
			if got != want {
				t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
			}
			if want == "" {
				counts[name]++
			}
		}
	}
	if len(counts) != 16 || len(methods.Get().Names()) != 29 {
		t.Errorf("%d methods, %d of them take anything but objects", len(methods.Get().Names()), len(counts))
	}
}

func TestMethodNames(t *testing.T) {
	want := `auth.connect.antigravity auth.connect.openai auth.set.exa_key auth.set.openrouter_key auth.status command.execute debug.set ` +
		`history.clear_session history.get history.list limits.get model.list model.openrouter.providers model.select onboarding.complete onboarding.status ` +
		`rpc.handshake session.create session.get session.interrupt session.queue.clear session.queue.list session.send session.steer skills.list state.get ` +
		`system.ping system.shutdown tools.list`
	if got := strings.Join(methodNames(), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecodeIgnores(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"system.ping"}`,
		`{"jsonrpc":"2.0","method":"system.shutdown","params":{"reason":"now"}}`,
		`{"jsonrpc":"2.0","method":"session.send","params":7}`,
		`{"jsonrpc":"2.0","method":"unheard.of","params":{}}`,
		"", " \t\r", "\uFEFF", "\u00A0\u2003",
	} {
		if got, refused := decode([]byte(line)); got != (ignored{}) || refused != nil {
			t.Errorf("%q: %+v, %+v", line, got, refused)
		}
	}
}

func TestDecodeRefusesFrames(t *testing.T) {
	const (
		invalid = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request","data":{"reason":"invalid_request"}}}`
		batch   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are not supported","data":{"reason":"batch_not_supported"}}}`
	)
	parse := func(id, text string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32700,"message":` + quoted("parse error: "+text) + `,"data":{"reason":"parse_error"}}}`
	}
	for _, test := range []struct{ line, want string }{
		{`not json`, parse("null", "invalid JSON at byte 2")},
		{`{"jsonrpc":"2.0","id":1,"method":"system.ping"`, parse("1", "line is not a complete JSON object")},
		{`[{"jsonrpc":"2.0","id":1,"method":"system.ping"}`, parse("null", "line is not a complete JSON object")},
		{asks("system.ping") + asks("system.ping"), parse("1", "text follows the JSON value")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", parse("1", "line is not valid UTF-8")},
		{asking("session.get", strings.Repeat("[", 300)+strings.Repeat("]", 300)), parse("1", "line nests deeper than 256 levels")},

		{`[{"jsonrpc":"2.0","id":1,"method":"system.ping"}]`, batch},
		{`[]`, batch},
		{`[7]`, batch},

		{`{}`, invalid},
		{`7`, invalid},
		{`"x"`, invalid},
		{`null`, invalid},
		{`true`, invalid},
		{`{"id":1,"method":"system.ping"}`, invalid},
		{`{"jsonrpc":"1.0","id":1,"method":"system.ping"}`, invalid},
		{`{"jsonrpc":2.0,"id":1,"method":"system.ping"}`, invalid},
		{`{"jsonrpc":"1.0","method":"system.ping"}`, invalid},
		{`{"jsonrpc":"2.0","id":true,"method":"system.ping"}`, invalid},
		{`{"jsonrpc":"2.0","id":[1],"method":"system.ping"}`, invalid},
		{`{"jsonrpc":"2.0","id":{},"method":"system.ping"}`, invalid},
		{`{"jsonrpc":"2.0","id":1}`, invalid},
		{`{"jsonrpc":"2.0","id":1,"method":5}`, invalid},
		{`{"jsonrpc":"2.0","id":1,"method":null}`, invalid},
		{`{"jsonrpc":"2.0","id":1,"method":" "}`, invalid},
		{`{"jsonrpc":"2.0","method":""}`, invalid},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, invalid},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, invalid},
	} {
		message, refused := decode([]byte(test.line))
		if refused == nil {
			t.Errorf("%s: accepted as %+v", test.line, message)
			continue
		}
		if got := refused.answer(); got != test.want || refused.method != "" {
			t.Errorf("%s (%s)\ngot  %s\nwant %s", test.line, refused.method, got, test.want)
		}
	}
	if got, want := refuseLong([]byte(`{"jsonrpc":"2.0","id":7,"method":"session.send","params":{"te`)).answer(), `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"line too long","data":{"reason":"line_too_long"}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeRefusesMethods(t *testing.T) {
	long := "x" + strings.Repeat("ä", 300)
	short := "x" + strings.Repeat("ä", 99) + "…"
	for _, test := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":"a","method":"nope"}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"method not found: nope","data":{"reason":"method_not_found","method":"nope"}}}`},
		{`{"jsonrpc":"2.0","id":null,"method":" system.ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"method not found:  system.ping","data":{"reason":"method_not_found","method":" system.ping"}}}`},
		{asking("System.Ping", "7"), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: System.Ping","data":{"reason":"method_not_found","method":"System.Ping"}}}`},
		{asks(long), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: ` + short + `","data":{"reason":"method_not_found","method":"` + short + `"}}}`},
		{asks("event"), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: event","data":{"reason":"method_not_found","method":"event"}}}`},
	} {
		_, refused := decode([]byte(test.line))
		if refused == nil || refused.answer() != test.want {
			t.Errorf("%s: %+v\nwant %s", test.line, refused, test.want)
		}
	}
}

func TestDecodeRefusesParams(t *testing.T) {
	const (
		nonEmpty = "a non-empty string"
		aString  = "a string"
		aBool    = "a boolean"
		aNumber  = "a finite number"
	)
	for _, test := range []struct{ method, params, field, wanted string }{
		{"rpc.handshake", `{"protocol_version":1,"strict":1}`, "protocol_version", aString},
		{"rpc.handshake", `{"strict":"true","event_format":7}`, "strict", aBool},
		{"rpc.handshake", `{"event_format":7,"event_scope":7}`, "event_format", aString},
		{"rpc.handshake", `{"event_format":"Flat"}`, "event_format", "flat or envelope"},
		{"rpc.handshake", `{"event_scope":{}}`, "event_scope", aString},
		{"rpc.handshake", `{"event_scope":"some"}`, "event_scope", "turn or all"},
		{"system.shutdown", `{"reason":[]}`, "reason", aString},
		{"session.create", `{"title":5}`, "title", aString},
		{"session.send", `{"session_id":"s","text":5,"enqueue":5}`, "text", aString},
		{"session.send", `{"text":5}`, "session_id", nonEmpty},
		{"session.send", `{"session_id":"s","text":"x","enqueue":"yes"}`, "enqueue", aBool},
		{"session.send", `{"session_id":"s","enqueue":0}`, "enqueue", aBool},
		{"session.steer", `{"text":5}`, "session_id", nonEmpty},
		{"session.steer", `{"session_id":"s"}`, "text", nonEmpty},
		{"session.steer", `{"session_id":"s","text":"\n"}`, "text", nonEmpty},
		{"command.execute", `{}`, "session_id", nonEmpty},
		{"command.execute", `{"session_id":"s","raw_command":7}`, "raw_command", nonEmpty},
		{"auth.connect.openai", `{"mode":1,"originator":1}`, "mode", aString},
		{"auth.connect.openai", `{"mode":"Auto"}`, "mode", "auto, browser, or device_code"},
		{"auth.connect.openai", `{"originator":1,"wait":1}`, "originator", aString},
		{"auth.connect.openai", `{"wait":"no"}`, "wait", aBool},
		{"auth.set.openrouter_key", `{}`, "api_key", nonEmpty},
		{"auth.set.openrouter_key", `{"api_key":" "}`, "api_key", nonEmpty},
		{"auth.set.exa_key", `{"api_key":null}`, "api_key", nonEmpty},
		{"model.list", `{"provider":1}`, "provider", aString},
		{"model.select", `{}`, "model_id", nonEmpty},
		{"model.select", `{"model_id":"m","thinking_level":7}`, "provider", nonEmpty},
		{"model.select", `{"model_id":"m","provider":"openai","openrouter_provider":7}`, "thinking_level", nonEmpty},
		{"model.select", `{"model_id":"m","provider":"openai","thinking_level":"LOW","openrouter_provider":7,"session_id":7}`, "openrouter_provider", aString},
		{"model.select", `{"model_id":"m","provider":"openai","thinking_level":"LOW","session_id":7,"compress_immediately":7}`, "session_id", aString},
		{"model.select", `{"model_id":"m","provider":"openai","thinking_level":"LOW","compress_immediately":7}`, "compress_immediately", aBool},
		{"model.openrouter.providers", `{"model_id":[]}`, "model_id", nonEmpty},
		{"history.list", `{"limit":"1","cursor":"1"}`, "limit", aNumber},
		{"history.list", `{"limit":1e400}`, "limit", aNumber},
		{"history.list", `{"cursor":true}`, "cursor", aNumber},
		{"history.get", `{"id":1,"last":1}`, "id", aString},
		{"history.get", `{"last":1,"rollout_path":1}`, "last", aBool},
		{"history.get", `{"rollout_path":1}`, "rollout_path", aString},
		{"debug.set", `{}`, "super_debug", aBool},
		{"debug.set", `{"super_debug":null}`, "super_debug", aBool},
		{"debug.set", `{"super_debug":"on"}`, "super_debug", aBool},
	} {
		checkRefused(t, test.method, test.params, "invalid params for "+test.method+": `"+test.field+"` must be "+test.wanted, test.field)
	}
	for _, method := range []string{"session.get", "session.send", "session.steer", "session.interrupt", "session.queue.list", "session.queue.clear", "command.execute", "history.clear_session"} {
		for _, params := range []string{`{}`, `{"session_id":null}`, `{"session_id":""}`, `{"session_id":" \u00a0\ufeff"}`, `{"session_id":7}`, `{"session_id":["s"]}`, `{"sessionId":"s"}`} {
			checkRefused(t, method, params, "invalid params for "+method+": `session_id` must be a non-empty string", "session_id")
		}
	}
	for _, images := range []string{`null`, `[]`, `{}`, `"a.png"`, `[7]`, `[{}]`, `[{"path":""},{"data_url":null}]`} {
		checkRefused(t, "session.send", `{"session_id":"s","text":" ","images":`+images+`}`, "invalid params: text is required", "text")
	}
	checkRefused(t, "session.send", `{"session_id":"s"}`, "invalid params: text is required", "text")
	checkRefused(t, "model.list", `{"provider":"OpenAI"}`, "provider must be one of: openai, openrouter, antigravity", "provider")
	checkRefused(t, "model.select", `{"model_id":"m","provider":"anthropic","thinking_level":7}`, "provider must be openai, openrouter, or antigravity", "provider")

	_, refused := decode([]byte(`{"jsonrpc":"2.0","id":5,"method":"rpc.handshake","params":{"protocol_version":"9","strict":true,"event_format":7}}`))
	if want := `{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"unsupported protocol_version: 9","data":{"reason":"unsupported_protocol_version","supported":"1.0.0"}}}`; refused == nil || refused.answer() != want {
		t.Errorf("%+v", refused)
	}
}

func checkRefused(t *testing.T, method, params, message, field string) {
	t.Helper()
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":` + quoted(message) + `,"data":{"reason":"invalid_params","field":"` + field + `"}}}`
	got, refused := decode([]byte(asking(method, params)))
	if refused == nil {
		t.Errorf("%s %s: accepted as %+v", method, params, got)
		return
	}
	if refused.answer() != want || refused.method != method {
		t.Errorf("%s %s\ngot  %s\nwant %s", method, params, refused.answer(), want)
	}
}

// What the state of the server refuses has the same form.
func TestRefuse(t *testing.T) {
	for _, test := range []struct {
		r    *refusal
		want string
	}{
		{
			refuse("3", jsonrpc.CodeInternalError, "unknown session: zz", ErrorData{Reason: ReasonInternalError, Kind: KindUnknownSession}),
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"unknown session: zz","data":{"reason":"internal_error","kind":"unknown_session"}}}`,
		},
		{
			refuse(`"q"`, CodeServerError, "server is shutting down", ErrorData{Reason: ReasonShuttingDown}),
			`{"jsonrpc":"2.0","id":"q","error":{"code":-32000,"message":"server is shutting down","data":{"reason":"shutting_down"}}}`,
		},
	} {
		if got := test.r.answer(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// A line of junk entries keeps nothing: 200,000 of them take no more than the line.
func TestImagesOfJunk(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	line := []byte(asking("session.send", `{"session_id":"s","text":"x","images":[`+strings.Repeat("7,{},", 100_000)+`{"path":"a"}]}`))
	message, refused := decode(line)
	if refused != nil {
		t.Fatal(refused.answer())
	}
	if got := message.(request).params.(*SessionSendParams).Images; len(got) != 1 || cap(got) > 1 {
		t.Errorf("%d images, room for %d", len(got), cap(got))
	}
}

func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		asking("rpc.handshake", `{"protocol_version":"1.0.0","strict":true,"event_format":"envelope","event_scope":"all"}`),
		asking("session.send", `{"session_id":"s","text":"x","images":[7,{"path":"a"},{"dataUrl":"data:image/png;base64,QQ==","mimeType":"image/png"}],"enqueue":true}`),
		asking("model.select", `{"model_id":"m","provider":"openai","thinking_level":"LOW","openrouter_provider":"X","compress_immediately":true,"session_id":"s"}`),
		asking("history.list", `{"limit":-0.5,"cursor":1e99}`), asking("auth.connect.openai", `{"mode":"browser","wait":false}`), asking("debug.set", `{"super_debug":true}`),
		asks("tools.list"), `{"jsonrpc":"2.0","method":"x"}`, `[`, `[]`, `{"jsonrpc":"2.0","id":null,"method":"x"}`, "\uFEFF",
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
	text, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func BenchmarkDecode(b *testing.B) {
	picture := base64.StdEncoding.EncodeToString(make([]byte, 6<<20))
	for name, line := range map[string]string{
		"send":    asking("session.send", `{"session_id":"0198c0de-0000-7000-8000-000000000001","text":"What is this repo?"}`),
		"picture": asking("session.send", `{"session_id":"s","images":[{"data_url":"data:image/png;base64,`+picture+`"}]}`),
		"bad":     asking("session.send", `{"session_id":7}`),
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
