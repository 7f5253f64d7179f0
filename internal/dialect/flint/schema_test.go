package flint

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/schema"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/wire/jsonrpc"
)

func TestSchemaIsCheckedIn(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	dialecttest.CheckedIn(t, "flint", Schema)
}

// part is the schema of one of the document's definitions.
var part = dialecttest.Parts(Schema)

// TestSchemaHasEveryType compares the tables with protocol*.go itself: every struct there
// has a definition, and what its member "type" says is what the comment there says.
func TestSchemaHasEveryType(t *testing.T) {
	tags := map[string]string{}
	for _, union := range [][]tagged{inputTypes.Get(), itemTypes.Get(), sdkItemTypes.Get(), otherTypes.Get()} {
		for _, u := range union {
			tags[u.Name()] = u.tag
		}
	}
	tabled := map[string]string{}
	for _, n := range allTypes() {
		tabled[n.Is.Name()] = tags[n.Is.Name()]
	}
	written := map[string]string{}
	structs, _ := dialecttest.Declared(t)
	for _, s := range structs {
		written[s.Name] = s.Tag
	}
	for _, embedded := range []string{"ThreadAliases", "ThreadConfig", "SandboxPolicy"} {
		if _, ok := written[embedded]; !ok {
			t.Errorf("%s is gone", embedded)
		}
		delete(written, embedded) // its form is not that of its fields
	}
	delete(written, "ChangeKindSDK") // its type has three values
	delete(tabled, "ChangeKindSDK")
	delete(written, "McpServer")
	delete(tabled, "McpServer")
	if diff := cmp.Diff(written, tabled); diff != "" {
		t.Errorf("(-protocol*.go +schema_types.go)\n%s", diff)
	}
}

func TestSchemaHasEveryMethod(t *testing.T) {
	var tabled []string
	for _, c := range clientRequests.Get() {
		tabled = append(tabled, c.method)
	}
	if !slices.Equal(tabled, methods.Get().Names()) {
		t.Errorf("schema_types.go has %q, decode.go %q", tabled, methods.Get().Names())
	}
	for _, c := range clientRequests.Get() {
		message, _ := decode(frames.AppendRequest(nil, "1", c.method, []byte(least[c.params.Name()])))
		if r, ok := message.(request); !ok || reflect.TypeOf(r.params).Elem() != c.params.Is {
			t.Errorf("%s: decode gives %+v, schema_types.go says %s", c.method, message, c.params.Is)
		}
	}
}

// least is the params of requests that have to have any.
var least = map[string]string{
	"InitializeParams":    `{"clientInfo":{"name":"x","version":"1"}}`,
	"ThreadStartParams":   `{}`,
	"ThreadResumeParams":  `{"threadId":"T1"}`,
	"ThreadListParams":    `{}`,
	"ThreadArchiveParams": `{"threadId":"T1"}`,
	"TurnStartParams":     `{"threadId":"T1","input":[{"type":"text","text":"hi"}]}`,
	"TurnInterruptParams": `{"threadId":"T1","turnId":"U1"}`,
	"ModelListParams":     `{}`,
	"ConfigListParams":    `{}`,
	"ConfigSetParams":     `{"id":"a","value":"b"}`,
	"ConfigReadParams":    `{}`,
}

// TestSchemaAgreesWithDecode holds the schema of requests and the decoder to the same verdict.
func TestSchemaAgreesWithDecode(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	schema := part("ClientRequest")
	call := func(method, params string) string {
		return `{"id":1,"method":"` + method + `","params":` + params + `}`
	}
	for _, line := range []string{
		`{"id":1,"method":"thread/start"}`,
		`{"id":"a","method":"config/read","params":{"_meta":{"a":1},"new":true}}`,
		`{"id":1.5,"method":"config/read"}`,
		`{"id":true,"method":"config/read"}`,
		`{"id":1,"method":"turn/start"}`,
		`{"id":1,"method":"thread/fork","params":{}}`,
		`{"id":1,"method":"Initialize","params":{"clientInfo":{"name":"x","version":"1"}}}`,
		`{"id":1}`,
		call("initialize", least["InitializeParams"]),
		call("initialize", `{"clientInfo":{"name":"","version":"1"}}`),
		call("initialize", `{"clientInfo":{"name":"x"}}`),
		call("initialize", `{"clientInfo":{"name":"x","version":"1"},"capabilities":{"optOutNotificationMethods":"error"}}`),
		call("thread/start", `[]`),
		call("thread/start", `{"cwd":""}`),
		call("thread/start", `{"cwd":"/a","sandbox":"read-only","approvalPolicy":"on-request"}`),
		call("thread/start", `{"sandbox":"none"}`),
		call("thread/start", `{"sandbox":{"type":"workspaceWrite","writableRoots":["/a"],"networkAccess":true}}`),
		call("thread/start", `{"sandbox":{"type":"workspaceWrite","networkAccess":"enabled"}}`),
		call("thread/start", `{"sandboxPolicy":{"type":"externalSandbox","networkAccess":"enabled"}}`),
		call("thread/start", `{"sandboxPolicy":{"type":"externalSandbox","networkAccess":"on"}}`),
		call("thread/start", `{"approvalPolicy":"sometimes"}`),
		call("thread/start", `{"mcpServers":{"a":{"command":"x","args":["y"],"env":{"K":"v"}}},"config":{"a.b":[1]}}`),
		call("thread/start", `{"mcpServers":{"a":{"type":"sse","url":"https://h"}}}`),
		call("thread/start", `{"mcpServers":{"a":{"command":"x","args":"y"}}}`),
		call("thread/start", `{"config":[]}`),
		call("thread/resume", `{"threadId":"T","excludeTurns":true}`),
		call("thread/resume", `{"excludeTurns":true}`),
		call("thread/list", `{"limit":500,"archived":false,"cursor":"x"}`),
		call("thread/list", `{"limit":0}`),
		call("thread/list", `{"limit":501}`),
		call("thread/list", `{"limit":1.5}`),
		call("turn/start", least["TurnStartParams"]),
		call("turn/start", `{"threadId":"T","input":[]}`),
		call("turn/start", `{"threadId":"T","input":[{"type":"text"}]}`),
		call("turn/start", `{"threadId":"T","input":[{"type":"skill","text":"x"}]}`),
		call("turn/start", `{"threadId":"T","input":[{"type":"image","url":"https://h/a.png","_meta":1},{"type":"localImage","path":"/a.png"}]}`),
		call("turn/start", `{"threadId":"T","input":[{"type":"image","url":"http://h/a.png"}]}`),
		call("turn/start", `{"threadId":"T","input":[{"type":"text","text":"x"}],"config":{"a":"b"},"sandboxPolicy":{"type":"readOnly"}}`),
		call("turn/start", `{"threadId":"T","input":[{"type":"text","text":"x"}],"config":{"a":1}}`),
		call("turn/interrupt", `{"threadId":"T"}`),
		call("model/list", `{"limit":0}`),
		call("model/list", `{"limit":1}`),
		call("config/set", `{"id":"a","value":1}`),
	} {
		_, refused := decode([]byte(line))
		if err := schema.FitsText(t, line); (err == nil) != (refused == nil) {
			t.Errorf("%s: the schema says %v, decode says %v", line, err, refused)
		}
	}
}

// samples returns a value of each type that goes out, as Go.
func samples() map[string]any {
	usage := TokenUsage{InputTokens: 812, OutputTokens: 6, CacheReadTokens: new(int)}
	failure := TurnError{"The provider refused the API key", "Unauthorized", 401}
	command := CommandExecutionItem{Type: "commandExecution", ID: "i4", Command: "go test ./...", Cwd: "/srv/shop", Status: ItemCompleted, ExitCode: value(0), AggregatedOutput: value("ok\n"), DurationMS: value(int64(1840))}
	change := FileUpdateChange{Path: "/srv/shop/hi.txt", Kind: ChangeAdd, Diff: "--- /dev/null\n+++ b/hi.txt\n@@ -0,0 +1 @@\n+hello\n"}
	changeSDK := FileUpdateChangeSDK{change.Path, ChangeKindSDK{"update", "/srv/shop/ho.txt"}, change.Diff}
	message := UserMessageItem{"userMessage", "i1", UserInputs{TextInput{"text", "What?", nil}, ImageInput{"image", "https://h/a.png", []byte(`{"a":1}`)}, LocalImageInput{"localImage", "/a.png", nil}}}
	plan := []PlanEntry{{"add route", StepInProgress}, {"write test", StepPending}}
	turn := Turn{"U1", TurnFailed, []ThreadItem{message, command}, &failure}
	thread := Thread{"T1", "What?", "anthropic", 1790000000, "claude-x", "/srv/shop", 1790000001, "0.3.0", "appServer", []Turn{turn}}
	option := ConfigOption{"select", "reasoning_effort", "Reasoning effort", "How much it thinks", "model", []ConfigSelectOption{{"off", "Off", "Not at all"}}, "off", []string{"claude-x"}}
	return map[string]any{
		"InitializeResult":                 InitializeResult{AgentInfo{"example", "0.3.0", "anthropic"}, AgentCapabilities{true, true, true, true, false}},
		"ThreadStartResult":                ThreadStartResult{thread, "anthropic", "claude-x", "/srv/shop"},
		"ThreadResumeResult":               ThreadResumeResult{thread, "claude-x", "/srv/shop"},
		"ThreadListResult":                 ThreadListResult{[]Thread{thread}, "MTc5"},
		"TurnStartResult":                  TurnStartResult{Turn{"U1", TurnInProgress, []ThreadItem{}, nil}},
		"ModelListResult":                  ModelListResult{[]Model{{"claude-x", "Claude X", "A model", true, &ModelMeta{"anthropic", 200000, true, true}}}},
		"ConfigListResult":                 ConfigListResult{[]ConfigOption{option}},
		"ConfigSetResult":                  ConfigSetResult{[]ConfigOption{option}},
		"ConfigReadResult":                 ConfigReadResult{"claude-x", "/srv/shop", PolicyAlways, SandboxPolicy{SandboxWorkspaceWrite, []AbsolutePath{"/b"}, true}, []ConfigOption{option}, "anthropic"},
		"ThreadStartedNotification":        ThreadStartedNotification{thread},
		"TurnStartedNotification":          TurnStartedNotification{"T1", Turn{"U1", TurnInProgress, []ThreadItem{}, nil}},
		"TurnCompletedNotification":        TurnCompletedNotification{"T1", turn},
		"ErrorNotification":                ErrorNotification{failure, true, "T1", "U1"},
		"TokenUsageUpdated":                TokenUsageUpdated{"T1", "U1", usage, &UsageMeta{usage, usage, 200000}},
		"TurnPlanUpdated":                  TurnPlanUpdated{"T1", "U1", "", plan},
		"ItemStartedNotification":          ItemStartedNotification{"T1", "U1", command},
		"ItemCompletedNotification":        ItemCompletedNotification{"T1", "U1", message},
		"AgentMessageDelta":                AgentMessageDelta{"T1", "U1", "i2", "A small "},
		"CommandExecutionOutputDelta":      CommandExecutionOutputDelta{"T1", "U1", "i2", "ok\n"},
		"FileChangeOutputDelta":            FileChangeOutputDelta{"T1", "U1", "i2", change.Diff},
		"PlanDelta":                        PlanDelta{"T1", "U1", "i2", "- [ ] write test"},
		"ReasoningTextDelta":               ReasoningTextDelta{"T1", "U1", "i2", "Hm", 0},
		"ReasoningSummaryTextDelta":        ReasoningSummaryTextDelta{"T1", "U1", "i2", "Hm", 1},
		"CommandExecutionRequestApproval":  CommandExecutionRequestApproval{"T1", "U1", "i4", "go test", "/srv/shop", "not a read-only command"},
		"CommandExecutionApprovalResponse": CommandExecutionApprovalResponse{Accept},
		"FileChangeRequestApproval":        FileChangeRequestApproval{"T1", "U1", "i4", []FileUpdateChange{change}, "edit needs approval"},
		"FileChangeApprovalResponse":       FileChangeApprovalResponse{AcceptForSession},
		"FileChangeRequestApprovalSDK":     FileChangeRequestApprovalSDK{"T1", "U1", "i4", []FileUpdateChangeSDK{changeSDK}, "edit needs approval"},
		"UserMessageItem":                  message,
		"AgentMessageItem":                 AgentMessageItem{"agentMessage", "i2", "A small web shop."},
		"ReasoningItem":                    ReasoningItem{"reasoning", "i3", "short", "long"},
		"CommandExecutionItem":             command,
		"FileChangeItem":                   FileChangeItem{"fileChange", "i5", []FileUpdateChange{change, {"/a", ChangeDelete, "", "/b"}}, ItemDeclined},
		"McpToolCallItem":                  McpToolCallItem{"mcpToolCall", "i6", "tickets", "get", []byte(`{"n":7}`), ItemFailed, []byte(`{"content":[]}`), "no", value(int64(12))},
		"WebSearchItem":                    WebSearchItem{"webSearch", "i7", "go", []byte(`{"type":"search","query":"go"}`)},
		"PlanItem":                         PlanItem{"plan", "i8", "- [ ] write test", plan},
		"DynamicToolCallItem":              DynamicToolCallItem{"dynamicToolCall", "i9", "read", []byte(`{"file":"/a"}`), ItemCompleted, value(true), "read /a", []ContentItem{{"inputText", "x"}}, "", value(int64(1))},
		"ContextCompactionItem":            ContextCompactionItem{"contextCompaction", "i10", "Summed up"},
		"ReasoningItemSDK":                 ReasoningItemSDK{"reasoning", "i3", []string{"short"}, []string{"long"}},
		"FileChangeItemSDK":                FileChangeItemSDK{"fileChange", "i5", []FileUpdateChangeSDK{changeSDK}, ItemCompleted},
		"McpToolCallItemSDK":               McpToolCallItemSDK{"mcpToolCall", "i6", "builtin", "read", []byte(`{"n":7}`), ItemFailed, []byte(`{"content":[]}`), &McpToolCallError{"no"}, value(int64(12))},
		"Warning":                          Warning{"T1", "careful"},
		"McpServerStatus":                  McpServerStatus{"T1", "tickets", "failed", "no such file"},
		"McpToolProgress":                  McpToolProgress{"T1", "U1", "i6", 1, 2, "half"},
		"Empty":                            Empty{},
		"JsonRpcError":                     jsonrpcError{CodeThreadNotFound, "Thread not found: T9", 7},
	}
}

// jsonrpcError is the error as AppendError writes it.
type jsonrpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    int    `json:"data"`
}

// TestSamplesAreValid holds the schema against what Go writes: as it is, and spoilt in every
// member, a sample at a time.
func TestSamplesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	all := samples()
	for name, sample := range all {
		t.Run(name, func(t *testing.T) {
			more := map[string]any{"_meta": map[string]any{"a": 1.0}}
			if name == "TokenUsageUpdated" { // which has a _meta of its own
				more = nil
			}
			part(name).Check(t, dialecttest.Sample{
				Text: said(t, sample), Spoil: spoil, More: more,
				Free: func(member string) bool { return free[name+"."+member] },
			})
		})
	}
	for _, n := range allTypes() {
		isPart := slices.ContainsFunc(parts.Get(), func(p schema.Type) bool { return p.Is == n.Is }) || slices.ContainsFunc(append(slices.Clone(inputTypes.Get()), otherTypes.Get()...), func(o tagged) bool { return o.Is == n.Is })
		if all[n.Name()] == nil && !isPart && !strings.HasSuffix(n.Name(), "Params") {
			t.Errorf("no sample of %s", n.Name())
		}
	}
}

// free is the members that may be anything.
var free = map[string]bool{"McpToolCallItem.result": true, "JsonRpcError.data": true}

// spoil takes a member away somewhere inside a value, if there is one that is required.
func spoil(v any) (spoilt []any) {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			for _, less := range spoil(v[0]) {
				spoilt = append(spoilt, []any{less})
			}
		}
	case map[string]any:
		for _, required := range []string{"type", "id", "name", "message", "inputTokens", "streaming", "step", "path"} {
			if _, has := v[required]; has {
				less := maps.Clone(v)
				delete(less, required)
				return []any{less}
			}
		}
	}
	return spoilt
}

// TestLinesAreValid holds the unions of lines against what the encoders write.
func TestLinesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	all := samples()
	sample := func(name string) []byte { return said(t, all[name]) }
	inbound, outbound := part("Inbound"), part("Outbound")
	var in, out []string
	for _, c := range clientRequests.Get() {
		in = append(in, string(frames.AppendRequest(nil, "1", c.method, []byte(least[c.params.Name()]))))
		out = append(out, string(frames.AppendResult(nil, `"a"`, sample(c.result.Name()))))
	}
	for _, c := range agentNotifications.Get() {
		out = append(out, string(frames.AppendNotification(nil, c.method, sample(c.params.Name()))))
	}
	for _, c := range agentRequests.Get() {
		out = append(out, string(frames.AppendRequest(nil, jsonrpc.Number(1000001), c.method, sample(c.params.Name()))))
		in = append(in, string(frames.AppendResult(nil, jsonrpc.Number(1000001), sample(c.result.Name()))))
	}
	in = append(in, `{"method":"initialized"}`, `{"id":7,"error":{"code":-1,"message":"no"}}`)
	out = append(
		out, refuseLong(nil).answer(), `{"method":"anthropic/rate_limits_updated","params":{"left":7}}`,
		string(frames.AppendNotification(nil, "example/warning", sample("Warning"))),
		string(frames.AppendRequest(nil, "7", "item/fileChange/requestApproval", sample("FileChangeRequestApprovalSDK"))),
		`{"method":"item/started","params":{"threadId":"T","turnId":"U","item":{"type":"hologram","id":"i1","text":"…","size":3}}}`,
	)
	for _, line := range in {
		if err := inbound.FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range out {
		if err := outbound.FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		`{}`, `{"method":"turn/completed"}`, `{"method":"turn/completed","params":{"threadId":"T"}}`, `{"id":1,"error":{"code":"x","message":"y"}}`,
		`{"method":"item/started","params":{"threadId":"T","turnId":"U","item":{"type":"agentMessage","id":"i1"}}}`, `{"method":"turn/complete","params":7}`,
	} {
		if err := outbound.FitsText(t, line); err == nil {
			t.Errorf("%s is valid", line)
		}
	}
}

// TestWholeLinesAreValid is lines as a client meets them, in the order of a turn.
func TestWholeLinesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, line := range []string{
		`{"id":1,"result":{"agentInfo":{"name":"example-agent","version":"0.3.0","provider":"anthropic"},"capabilities":{"streaming":true,"configOptions":true,"reasoning":true,"plans":true,"review":false}}}`,
		`{"id":2,"result":{"thread":{"id":"T1","preview":"","modelProvider":"anthropic","createdAt":1790000000,"model":"claude-x","cwd":"/srv/shop","updatedAt":1790000000,"cliVersion":"0.3.0","source":"appServer","turns":[]},"modelProvider":"anthropic","model":"claude-x","cwd":"/srv/shop"}}`,
		`{"id":3,"result":{"turn":{"id":"U1","status":"inProgress","items":[]}}}`,
		`{"method":"turn/started","params":{"threadId":"T1","turn":{"id":"U1","status":"inProgress","items":[]}}}`,
		`{"method":"item/started","params":{"threadId":"T1","turnId":"U1","item":{"type":"userMessage","id":"i1","content":[{"type":"text","text":"What is this repo?"}]}}}`,
		`{"method":"item/started","params":{"threadId":"T1","turnId":"U1","item":{"type":"agentMessage","id":"i2","text":""}}}`,
		`{"method":"item/agentMessage/delta","params":{"threadId":"T1","turnId":"U1","itemId":"i2","delta":"A small "}}`,
		`{"method":"thread/tokenUsage/updated","params":{"threadId":"T1","turnId":"U1","usage":{"inputTokens":812,"outputTokens":6,"cacheReadTokens":640}}}`,
		`{"method":"turn/completed","params":{"threadId":"T1","turn":{"id":"U1","status":"completed","items":[{"type":"agentMessage","id":"i2","text":"A small web shop."}]}}}`,
		`{"id":"c","error":{"code":-32600,"message":"Already initialized"}}`,
		`{"id":1000001,"method":"item/commandExecution/requestApproval","params":{"threadId":"T1","turnId":"U2","itemId":"i4","command":"go test ./...","cwd":"/srv/shop","reason":"not a read-only command"}}`,
		`{"method":"item/commandExecution/outputDelta","params":{"threadId":"T1","turnId":"U2","itemId":"i4","delta":"ok  \tshop/cart\t0.2s\n"}}`,
		`{"method":"item/completed","params":{"threadId":"T1","turnId":"U2","item":{"type":"commandExecution","id":"i7","command":"rm -rf build","cwd":"/srv/shop","status":"declined"}}}`,
		`{"method":"item/completed","params":{"threadId":"T1","turnId":"U5","item":{"type":"fileChange","id":"i14","changes":[{"path":"/srv/shop/x.txt","kind":"add","diff":""}],"status":"failed"}}}`,
		`{"method":"error","params":{"threadId":"T1","turnId":"U8","error":{"message":"Reconnecting… 1/5","errorInfo":"ServerOverloaded","httpStatusCode":529},"willRetry":true}}`,
		`{"method":"item/started","params":{"threadId":"T1","turnId":"U8","item":{"type":"reasoning","id":"i30"}}}`,
		`{"method":"item/started","params":{"threadId":"T1","turnId":"U8","item":{"type":"mcpToolCall","id":"i31","server":"tickets","tool":"get","arguments":{"n":7},"status":"inProgress"}}}`,
		`{"method":"item/started","params":{"threadId":"T1","turnId":"U8","item":{"type":"dynamicToolCall","id":"i32","tool":"read","arguments":{"path":"/srv/shop/go.mod"},"status":"inProgress","text":"read /srv/shop/go.mod"}}}`,
		`{"method":"turn/plan/updated","params":{"threadId":"T1","turnId":"U9","explanation":"","plan":[{"step":"add route","status":"inProgress"}]}}`,
		`{"id":24,"result":{"model":"claude-x","modelProvider":"anthropic","cwd":"/srv/shop","approvalPolicy":"unlessTrusted","sandboxPolicy":{"type":"workspaceWrite","networkAccess":false},"options":[]}}`,
	} {
		if err := part("Outbound").FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestMethodMaps: the maps contain the types of each method.
func TestMethodMaps(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	schema := part("ClientRequests")
	all := samples()
	whole := map[string]any{}
	for _, c := range clientRequests.Get() {
		whole[c.method] = map[string]any{
			"params": dialecttest.Decoded(t, []byte(least[c.params.Name()])),
			"result": dialecttest.Decoded(t, said(t, all[c.result.Name()])),
		}
	}
	if err := schema.Fits(t, whole); err != nil {
		t.Fatal(err)
	}
	whole["turn/start"] = whole["thread/start"]
	if err := schema.Fits(t, whole); err == nil {
		t.Error("any params will do")
	}
	if got, want := fmt.Sprint(len(whole)), fmt.Sprint(len(clientRequests.Get())); got != want {
		t.Errorf("%s methods, want %s", got, want)
	}
}
