package loaf

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/racetest"
)

func TestSchemaIsCheckedIn(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	dialecttest.CheckedIn(t, "loaf", Schema)
}

// part is the schema of one of the document's definitions.
var part = dialecttest.Parts(Schema)

// TestSchemaHasEverything compares the tables with protocol*.go itself: every struct and
// every event there is in them, and every word of each set.
func TestSchemaHasEverything(t *testing.T) {
	structs, constants := declared(t)
	var tabled []string
	for _, n := range allTypes() {
		tabled = append(tabled, n.Name())
	}
	slices.Sort(tabled)
	structs = slices.DeleteFunc(structs, func(name string) bool { return name == "EventEnvelope" }) // one for each type of event
	if diff := cmp.Diff(structs, tabled); diff != "" {
		t.Errorf("structs (-protocol*.go +schema_types.go)\n%s", diff)
	}
	var tabledEvents []string
	for _, e := range eventTypes.Get() {
		tabledEvents = append(tabledEvents, e.event)
	}
	if diff := cmp.Diff(constants["Event"], tabledEvents); diff != "" {
		t.Errorf("events (-protocol*.go +schema_types.go)\n%s", diff)
	}
	if diff := cmp.Diff(constants["Reason"], errorReasons); diff != "" {
		t.Errorf("reasons (-protocol*.go +schema_types.go)\n%s", diff)
	}
	for n, allowed := range wordTypes.Get() {
		if diff := cmp.Diff(constants[n.Name()], allowed); diff != "" {
			t.Errorf("%s (-protocol*.go +schema_types.go)\n%s", n.Name(), diff)
		}
	}
}

// declared returns the names of all structs of protocol*.go, and the values of its constants by
// their type or, without one, by Event or Reason, if that is what their names begin with.
func declared(t *testing.T) (structs []string, constants map[string][]string) {
	t.Helper()
	all, texts := dialecttest.Declared(t)
	for _, s := range all {
		structs = append(structs, s.Name)
	}
	slices.Sort(structs)
	constants = map[string][]string{}
	for _, c := range texts {
		set := c.Type
		for _, prefix := range []string{"Event", "Reason"} {
			if set == "" && strings.HasPrefix(c.Name, prefix) {
				set = prefix
			}
		}
		constants[set] = append(constants[set], c.Value)
	}
	return structs, constants
}

func TestSchemaHasEveryMethod(t *testing.T) {
	var tabled []string
	for _, r := range requestTypes.Get() {
		tabled = append(tabled, r.method)
	}
	if !slices.Equal(tabled, methods.Get().Names()) {
		t.Errorf("schema_types.go has %q, decode_methods.go %q", tabled, methods.Get().Names())
	}
	for _, r := range requestTypes.Get() {
		message, _ := decode([]byte(asking(r.method, least(r.params.Name()))))
		if got, ok := message.(request); !ok || reflect.TypeOf(got.params).Elem() != r.params.Is {
			t.Errorf("%s: decode gives %+v, schema_types.go says %s", r.method, message, r.params.Is)
		}
	}
}

// least returns the least params of a request.
func least(name string) string {
	params := map[string]string{
		"SessionParams":             `{"session_id":"s"}`,
		"SessionSendParams":         `{"session_id":"s","text":"hi"}`,
		"SessionSteerParams":        `{"session_id":"s","text":"hi"}`,
		"CommandParams":             `{"session_id":"s","raw_command":"/help"}`,
		"AuthKeyParams":             `{"api_key":"k"}`,
		"ModelSelectParams":         `{"model_id":"m","provider":"openai","thinking_level":"LOW"}`,
		"OpenRouterProvidersParams": `{"model_id":"m"}`,
		"DebugParams":               `{"super_debug":true}`,
	}[name]
	if params == "" {
		return `{}`
	}
	return params
}

// TestSchemaAgreesWithDecode holds the schema of requests and the decoder to the same verdict.
func TestSchemaAgreesWithDecode(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	lines := []string{
		`{"jsonrpc":"2.0","id":"a","method":"system.ping","params":{"x":1}}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools.list"}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools.list"}`,
		`{"jsonrpc":"2.0","id":true,"method":"tools.list"}`,
		`{"jsonrpc":"1.0","id":1,"method":"tools.list"}`,
		`{"id":1,"method":"tools.list"}`,
		asks("session.fork"), asks("Tools.list"), asks("session.get"), asks("rpc.handshake"),
		asking("rpc.handshake", `[]`),
		asking("rpc.handshake", `{"client_name":[],"protocol_version":"1.0.0","strict":true,"event_format":"flat","event_scope":"all"}`),
		asking("rpc.handshake", `{"event_format":"wide"}`),
		asking("rpc.handshake", `{"event_scope":7}`),
		asking("rpc.handshake", `{"strict":"no"}`),
		asking("system.shutdown", `{"reason":7}`),
		asking("session.create", `{"title":"x","new":true}`),
		asking("session.get", `{"session_id":""}`),
		asking("session.send", `{"session_id":"s","text":"x","images":[{"path":"a"},{"data_url":"data:x","mime_type":"image/png"}],"enqueue":false}`),
		asking("session.send", `{"text":"x"}`),
		asking("session.send", `{"session_id":"s","text":"x","enqueue":1}`),
		asking("session.steer", `{"session_id":"s","text":""}`),
		asking("command.execute", `{"session_id":"s"}`),
		asking("auth.connect.openai", `{"mode":"device_code","wait":true}`),
		asking("auth.connect.openai", `{"mode":"telepathy"}`),
		asking("auth.connect.openai", `{"wait":"x"}`),
		asking("auth.set.exa_key", `{}`),
		asking("model.list", `{"provider":"antigravity"}`),
		asking("model.list", `{"provider":"anthropic"}`),
		asking("model.select", `{"model_id":"m","provider":"openai","thinking_level":"much","openrouter_provider":"x","session_id":"s","compress_immediately":true}`),
		asking("model.select", `{"model_id":"m","provider":"bakery","thinking_level":"LOW"}`),
		asking("model.select", `{"model_id":"m","provider":"openai"}`),
		asking("model.openrouter.providers", `{"model_id":7}`),
		asking("history.list", `{"limit":0.5,"cursor":-1}`),
		asking("history.list", `{"limit":"5"}`),
		asking("history.get", `{"id":"a","last":false,"rollout_path":"/x"}`),
		asking("history.get", `{"last":"x"}`),
		asking("debug.set", `{}`),
	}
	for _, r := range requestTypes.Get() {
		lines = append(lines, asking(r.method, least(r.params.Name())))
	}
	for _, line := range lines {
		_, refused := decode([]byte(line))
		if err := part("Request").FitsText(t, line); (err == nil) != (refused == nil) {
			t.Errorf("%s: the schema says %v, decode says %v", line, err, refused)
		}
	}
}

// samples returns a value of each type that goes out, as Go.
func samples() map[string]any {
	openai := new(ProviderOpenAI)
	at := "2026-03-01T10:00:00.000Z"
	breakdown := ContextBreakdown{900, 49, 1120, 42}
	picture := Image{"rpc-image-1772359200000.png", "image/png", "data:image/png;base64,aGVsbG8=", 5}
	message := Message{9, KindAssistant, "Yeast makes gas.", []Image{picture}}
	entry := HistoryEntry{KindUser, "Why?", []Image{picture}}
	queued := QueueItem{"t7", "two", []ImageInput{{"a.png", "image/png", "data:x"}}, at}
	profile := &AntigravityProfile{"a@example.org", "A", "https://example.org/a.png"}
	status := AuthStatus{[]Provider{ProviderOpenAI}, true, true, false, profile}
	state := State{
		StateAuth{[]Provider{ProviderOpenAI}, true, false, true, profile},
		OnboardingState{true},
		StateModel{"demo-1", ThinkingHigh, "any", openai},
		StateSessions{1, []string{"s1"}},
		StateSkills{2, []string{"/a"}},
	}
	model := Model{"demo-1", ProviderOpenAI, "OpenAI", "Demo", "A model", []ThinkingLevel{ThinkingOff, ThinkingHigh}, ThinkingHigh, []string{"baker"}, 128000}
	models := ModelListResult{[]Provider{ProviderOpenAI}, []Model{model}, "demo-1", ThinkingHigh, openai, "any"}
	input := jsontext.Value(`{"command":"ls"}`)
	executed := Executed{"bash", false, input, jsontext.Value(`{"exit_code":1}`), "process failed (exit code 1)"}
	compression := &Compression{true, true, CompactionProviderSwitch, 2, 1, 128000, 94720, 0, 0}
	window := &LimitWindow{12.5, 87.5, new(int64(18000)), new(int64(1790000000))}
	chat := SavedChat{"9c1e", "Bread", ProviderOpenAI, "demo-1", ThinkingHigh, "baker", at, at, 2, "/x/rollout.jsonl"}
	return map[string]any{
		"HandshakeResult":        HandshakeResult{ProtocolVersion, "loaf", Capabilities{true, true, true, []string{"path", "data_url"}}, methodNames(), FormatFlat, ScopeTurn},
		"PingResult":             PingResult{true, at},
		"ShutdownResult":         ShutdownResult{true, "client_exit"},
		"State":                  state,
		"SessionCreateResult":    SessionCreateResult{"s1", SessionState{ID: "s1", CreatedAt: at, UpdatedAt: at, StatusLabel: "ready", ContextTokenSource: "history"}},
		"SessionState":           SessionState{"s1", at, at, true, "thinking...", []Message{message}, []HistoryEntry{entry}, []QueueItem{queued}, 1, openai, new("c1"), 2111, "history", openai, breakdown},
		"SessionSendResult":      SessionSendResult{"s1", "t1", true, false},
		"SessionSteerResult":     SessionSteerResult{"s1", true},
		"SessionInterruptResult": SessionInterruptResult{"s1", true},
		"SessionQueueListResult": SessionQueueListResult{"s1", []QueueItem{queued}},
		"SessionQueueClearResult": SessionQueueClearResult{
			"s1", 2,
		},
		"CommandResult":             CommandResult{true, jsontext.Value(`{"cleared":true}`)},
		"CommandUnknown":            CommandUnknown{"unknown command: /x"},
		"CommandHelp":               CommandHelp{[]CommandInfo{{"help", "This"}}},
		"CommandAuth":               CommandAuth{status, "sign in"},
		"CommandModel":              CommandModel{"demo-1", openai, ThinkingHigh, "any", models},
		"CommandResumed":            CommandResumed{"9c1e"},
		"CommandCompressed":         CommandCompressed{true, CompactionManual, 1606, 1592, 128000, 94720, 0, 0},
		"CommandCleared":            CommandCleared{true},
		"CommandShutdown":           CommandShutdown{true},
		"AuthStatus":                status,
		"AuthConnectResult":         AuthConnectResult{ProviderOpenAI, AuthBrowser, new("acct_1")},
		"AuthConnectStarted":        AuthConnectStarted{ProviderOpenAI, AuthDeviceCode, true},
		"AuthOpenRouterKeyResult":   AuthOpenRouterKeyResult{true, 7, "remote"},
		"AuthExaKeyResult":          AuthExaKeyResult{true, false},
		"OnboardingState":           OnboardingState{true},
		"ModelListResult":           models,
		"ModelSelectResult":         ModelSelectResult{"demo-1", ProviderOpenAI, ThinkingHigh, "any", compression},
		"OpenRouterProvidersResult": OpenRouterProvidersResult{"a/b", []string{"baker"}},
		"LimitsResult": LimitsResult{
			&OpenAILimits{true, &OpenAISnapshot{new("plus"), window, window}, ""},
			&AntigravityLimits{true, &AntigravitySnapshot{[]AntigravityQuota{{"m", 50, &at}}}, ""},
		},
		"HistoryListResult":        HistoryListResult{3, 0, 1, []SavedChat{chat}, new(1)},
		"HistoryGetResult":         HistoryGetResult{chat, []HistoryEntry{entry}},
		"HistoryClearResult":       HistoryClearResult{"s1", true},
		"SkillsResult":             SkillsResult{[]string{"/a"}, []string{"no"}, []Skill{{"knead", "How to knead", "How to knead", "/a/SKILL.md"}}},
		"ToolsResult":              ToolsResult{[]Tool{{"bash", "Run", jsontext.Value(`{"type":"object"}`)}}},
		"DebugResult":              DebugResult{true},
		"SessionStatus":            SessionStatus{"s1", true, "thinking...", "t1"},
		"MessageAppended":          MessageAppended{"s1", message},
		"StreamChunk":              StreamChunk{"s1", "t1", Chunk{[]string{"**Yeast**"}, "", []Segment{{"thought", "**Yeast**"}}}},
		"ToolCallStarted":          ToolCallStarted{"s1", "t1", ToolStartedData{"bash", "c1", 1, ToolCall{"bash", input, "bash", "c1"}}},
		"ToolCallCompleted":        ToolCallCompleted{"s1", "t1", ToolCompletedData{"bash", "c1", false, 1, executed}},
		"ToolResults":              ToolResults{"s1", "t1", ToolResultsData{1, []Executed{executed}}},
		"ContextEstimate":          ContextEstimate{"s1", openai, 2111, "history", breakdown},
		"SessionCompleted":         SessionCompleted{"s1", "t1", 16},
		"SessionInterrupted":       SessionInterrupted{"s1", "t1", true},
		"SessionError":             SessionError{"s1", "t1", "400 bad model request"},
		"SessionDebug":             SessionDebug{"s1", "t1", "request", jsontext.Value(`{"a":1}`)},
		"CompactionStarted":        CompactionStarted{"s1", "t1", CompactionAuto, 0, 24, 128000},
		"CompactionAnchorSelected": CompactionAnchorSelected{"s1", "t1", CompactionAuto, 0, 0, 24},
		"CompactionSummaryMerged":  CompactionSummaryMerged{"s1", "t1", at, 0},
		"CompactionCompleted":      CompactionCompleted{"s1", "t1", true, CompactionAuto, 105210, 1710, 128000, 94720, 104960, 0, 0},
		"CompactionFailed":         CompactionFailed{"s1", "t1", CompactionAuto, "no"},
		"AuthFlowStarted":          AuthFlowStarted{ProviderOpenAI},
		"AuthFlowURL":              AuthFlowURL{ProviderOpenAI, "https://id.example/codex/device"},
		"AuthFlowDeviceCode":       AuthFlowDeviceCode{ProviderOpenAI, "https://id.example/codex/device", "ABCD-1234", 5, 900},
		"AuthFlowCompleted":        AuthFlowCompleted{ProviderOpenAI, AuthDeviceCode, new("acct_1")},
		"AuthFlowFailed":           AuthFlowFailed{ProviderOpenAI, "OAuth login cancelled."},
		"StateChanged":             StateChanged{ChangedSessionCreated, "s1", state},
		"ErrorData":                ErrorData{ReasonInternalError, "text", "nope", "1.0.0", KindBusy},
	}
}

// nullable returns the members that may be null.
func nullable() map[string]bool {
	all := map[string]bool{}
	for _, n := range allTypes() {
		for _, m := range schema.Members(n.Is) {
			if m.Type.Kind() == reflect.Pointer && !m.Optional {
				all[n.Name()+"."+m.Name] = true
			}
		}
	}
	return all
}

// free is the members that may be anything.
var free = map[string]bool{"SessionDebug.data": true}

// TestSamplesAreValid holds the schema against what Go writes: as it is, and spoilt in every
// member, a sample at a time.
func TestSamplesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	all, mayBeNull := samples(), nullable()
	if len(mayBeNull) != 20 {
		t.Errorf("%d members may be null: %v", len(mayBeNull), slices.Sorted(maps.Keys(mayBeNull)))
	}
	for name, sample := range all {
		t.Run(name, func(t *testing.T) {
			part(name).Check(t, dialecttest.Sample{
				Text: said(t, sample), Spoil: spoil,
				Free:     func(member string) bool { return free[name+"."+member] },
				Nullable: func(member string) bool { return mayBeNull[name+"."+member] },
			})
		})
	}
	for _, n := range allTypes() {
		if all[n.Name()] == nil && !slices.Contains(parts.Get(), n) && !strings.HasSuffix(n.Name(), "Params") {
			t.Errorf("no sample of %s", n.Name())
		}
	}
}

// loose is the members within others that may be absent.
var loose = []string{
	"images", "picture", "displayProvider", "supportedThinkingLevels", "defaultThinkingLevel", "routingProviders", "contextWindowTokens", "openRouterProvider",
	"error", "path", "mime_type", "data_url", "snapshot", "cleared",
}

// spoil returns a value without each of the members that have to be in it, however deep.
func spoil(v any) (spoilt []any) {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			for _, less := range spoil(v[0]) {
				spoilt = append(spoilt, []any{less})
			}
		}
	case map[string]any:
		for name, value := range v {
			if name == "result" || name == "input" || name == "input_schema" { // of any form
				continue
			}
			if !slices.Contains(loose, name) || name == "images" && v["kind"] != nil {
				less := maps.Clone(v)
				delete(less, name)
				spoilt = append(spoilt, less)
			}
			for _, worse := range spoil(value) {
				less := maps.Clone(v)
				less[name] = worse
				spoilt = append(spoilt, less)
			}
		}
	}
	return spoilt
}

// TestLinesAreValid holds the unions of lines against what the encoders write.
func TestLinesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	all := samples()
	var out []string
	for _, r := range requestTypes.Get() {
		for _, n := range r.results {
			out = append(out, string(frames.AppendResult(nil, `"a"`, said(t, all[n.Name()]))))
		}
		if err := part("Inbound").FitsText(t, asking(r.method, least(r.params.Name()))); err != nil {
			t.Errorf("%s: %v", r.method, err)
		}
	}
	for _, e := range eventTypes.Get() {
		payload := said(t, all[e.payload.Name()])
		out = append(
			out, string(frames.AppendNotification(nil, e.event, payload)),
			string(frames.AppendNotification(nil, MethodEvent, said(t, EventEnvelope{e.event, "2026-03-01T10:00:00.000Z", payload}))),
		)
	}
	out = append(out, refuseLong(nil).answer(), refuse("1", CodeServerError, "x", ErrorData{Reason: ReasonAuthInProgress}).answer())
	for _, line := range out {
		if err := part("Outbound").FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		`{}`, `{"jsonrpc":"2.0","method":"session.completed"}`, `{"jsonrpc":"2.0","method":"session.completed","params":{"session_id":"s"}}`,
		`{"method":"auth.flow.started","params":{"provider":"openai"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x","data":{"reason":"bad luck"}}}`,
		`{"jsonrpc":"2.0","method":"event","params":{"type":"auth.flow.started","payload":{"provider":"openai"}}}`,
		`{"jsonrpc":"2.0","method":"event","params":{"type":"session.completed","timestamp":"x","payload":{"provider":"openai"}}}`,
		`{"jsonrpc":"2.0","method":"session.finished","params":{"session_id":"s","turn_id":"t","answer_length":1}}`,
	} {
		if err := part("Outbound").FitsText(t, line); err == nil {
			t.Errorf("%s is valid", line)
		}
	}
}

// TestWholeLinesAreValid is lines as a client meets them: those of the document, then a turn.
func TestWholeLinesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":2,"result":{"session_id":"s1","state":{"id":"s1","createdAt":"2026-03-01T10:00:00.000Z","updatedAt":"2026-03-01T10:00:00.000Z","pending":false,"statusLabel":"ready","messages":[],"history":[],"queue":[],"pendingSteerCount":0,"conversationProvider":null,"activeSessionId":null,"contextTokenEstimate":0,"contextTokenSource":"history","contextTokenProvider":null,"contextTokenBreakdown":{"pinned_tokens":0,"conversation_tokens":0,"tool_schema_tokens":0,"provider_overhead_tokens":0}}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"session_id":"s1","turn_id":"t1","accepted":true,"queued":false}}`,
		`{"jsonrpc":"2.0","id":6,"result":{"auth":{"enabledProviders":["openai"],"hasOpenAiToken":true,"hasAntigravityToken":false,"hasOpenRouterKey":false,"antigravityProfile":null},"onboarding":{"completed":true},"model":{"selectedModel":"gpt-4o","selectedThinking":"MEDIUM","selectedOpenRouterProvider":"any","selectedProvider":"openai"},"sessions":{"count":0,"ids":[]},"skills":{"count":0,"directories":[]}}}`,
		`{"jsonrpc":"2.0","method":"session.message.appended","params":{"session_id":"abc123","message":{"id":1,"kind":"assistant","text":"Here's a hello world function:\n\nfunction hello() {\n  console.log('Hello, world!');\n}","images":[]}}}`,
		`{"jsonrpc":"2.0","method":"session.status","params":{"session_id":"abc123","pending":true,"status_label":"thinking..."}}`,
		`{"jsonrpc":"2.0","method":"session.context.estimate","params":{"session_id":"abc123","provider":null,"total_tokens_estimate":1234,"source":"history","breakdown":{"pinned_tokens":100,"conversation_tokens":1000,"tool_schema_tokens":100,"provider_overhead_tokens":34}}}`,
		`{"jsonrpc":"2.0","method":"auth.flow.url","params":{"provider":"openai","url":"https://auth.openai.com/authorize?..."}}`,
		`{"jsonrpc":"2.0","method":"session.stream.chunk","params":{"session_id":"s1","turn_id":"t1","chunk":{"thoughts":[],"answerText":"Yeast makes ","segments":[{"kind":"answer","text":"Yeast makes "}]}}}`,
		`{"jsonrpc":"2.0","method":"session.tool.call.completed","params":{"session_id":"s1","turn_id":"t2","data":{"tool_name":"bash","call_id":"c1","ok":true,"toolRound":1,"executed":{"name":"bash","ok":true,"input":{"command":"wc -l < loaves.txt"},"result":{"status":"ok","exit_code":0,"stdout":"7","stderr":""}}}}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: x","data":{"reason":"parse_error"}}}`,
		`{"jsonrpc":"2.0","id":10,"error":{"code":-32603,"message":"session is busy; use enqueue=true to queue the prompt","data":{"reason":"internal_error","kind":"busy"}}}`,
		`{"jsonrpc":"2.0","id":21,"result":{"handled":true,"output":{"compressed":true,"reason":"manual","estimated_tokens_before":1606,"estimated_tokens_after":1592,"model_context_window":128000,"target_limit":94720,"anchor_event_index_before":0,"anchor_event_index_after":0}}}`,
		`{"jsonrpc":"2.0","id":8,"result":{"openai":{"ok":false,"message":"no"},"antigravity":null}}`,
		`{"jsonrpc":"2.0","method":"event","params":{"type":"session.status","timestamp":"2026-03-01T10:00:01.000Z","payload":{"session_id":"s1","pending":true,"status_label":"preparing...","turn_id":"t1"}}}`,
	} {
		if err := part("Outbound").FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// What Go writes is, byte for byte, what the examples have.
func TestWireOrder(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{
			SessionCreateResult{"s1", SessionState{ID: "s1", CreatedAt: "c", UpdatedAt: "u", StatusLabel: "ready", ContextTokenSource: "history"}},
			`{"session_id":"s1","state":{"id":"s1","createdAt":"c","updatedAt":"u","pending":false,"statusLabel":"ready","messages":[],"history":[],"queue":[],"pendingSteerCount":0,"conversationProvider":null,"activeSessionId":null,"contextTokenEstimate":0,"contextTokenSource":"history","contextTokenProvider":null,"contextTokenBreakdown":{"pinned_tokens":0,"conversation_tokens":0,"tool_schema_tokens":0,"provider_overhead_tokens":0}}}`,
		},
		{HandshakeResult{"1.0.0", "loaf", Capabilities{true, true, true, []string{"path", "data_url"}}, []string{"a"}, FormatFlat, ScopeTurn}, `{"protocol_version":"1.0.0","server_name":"loaf","capabilities":{"events":true,"command_execute":true,"multi_session":true,"image_inputs":["path","data_url"]},"methods":["a"],"event_format":"flat","event_scope":"turn"}`},
		{QueueItem{"t7", "two", nil, "at"}, `{"id":"t7","text":"two","images":[],"enqueuedAt":"at"}`},
		{QueueItem{"t7", "two", []ImageInput{{Path: "a"}, {DataURL: "data:x"}}, "at"}, `{"id":"t7","text":"two","images":[{"path":"a"},{"path":"","data_url":"data:x"}],"enqueuedAt":"at"}`},
		{HistoryGetResult{SavedChat{ID: "9c1e"}, nil}, `{"id":"9c1e","title":"","provider":"","model":"","thinkingLevel":"","createdAt":"","updatedAt":"","messageCount":0,"rolloutPath":"","messages":[]}`},
		{HistoryEntry{KindUser, "x", nil}, `{"role":"user","text":"x"}`},
		{LimitsResult{OpenAI: &OpenAILimits{Message: "no"}}, `{"openai":{"ok":false,"message":"no"},"antigravity":null}`},
		{CommandResult{}, `{"handled":false}`},
		{SessionStatus{"s", false, "ready", ""}, `{"session_id":"s","pending":false,"status_label":"ready"}`},
		{AuthFlowCompleted{ProviderOpenAI, AuthBrowser, nil}, `{"provider":"openai","login_method":"browser","account_id":null}`},
		{ModelSelectResult{"m", ProviderOpenAI, ThinkingLow, "any", nil}, `{"selected_model":"m","selected_provider":"openai","selected_thinking":"LOW","selected_openrouter_provider":"any"}`},
	} {
		got, err := json.Marshal(test.value)
		if err != nil || string(got) != test.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
		}
	}
}

// TestMaps: the maps contain the types of each method, and of each type of event.
func TestMaps(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	all := samples()
	whole := map[string]any{}
	for _, r := range requestTypes.Get() {
		pair := map[string]any{"params": dialecttest.Decoded(t, []byte(least(r.params.Name())))}
		for _, n := range r.results {
			pair["result"] = dialecttest.Decoded(t, said(t, all[n.Name()]))
		}
		whole[r.method] = pair
	}
	if err := part("Requests").Fits(t, whole); err != nil {
		t.Error(err)
	}
	whole["session.send"] = whole["session.steer"]
	if err := part("Requests").Fits(t, whole); err == nil {
		t.Error("any result will do")
	}
	clear(whole)
	for _, e := range eventTypes.Get() {
		whole[e.event] = dialecttest.Decoded(t, said(t, all[e.payload.Name()]))
	}
	if err := part("Events").Fits(t, whole); err != nil {
		t.Error(err)
	}
	whole[EventError] = whole[EventStateChanged]
	if err := part("Events").Fits(t, whole); err == nil {
		t.Error("any payload will do")
	}
}
