package telemetry

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/telemetry/otlp"
	"parley.dev/parley/internal/telemetry/otlp/otlptest"
)

// whole is a turn with everything that is exported.
func whole() log {
	used := model.Usage{Input: 100, Output: 20, CacheRead: 30, CacheWrite: 5, Thinking: 7}
	return records("t1",
		event.QueueChanged{FollowUps: []event.Queued{{ID: "p"}}}, // 0
		event.TurnStarted{Prompt: "p"},
		event.QueueChanged{},
		event.UserMessage{Blocks: []model.Block{model.TextBlock("a secret prompt")}},
		event.StepStarted{Step: 1, Model: "m-1"}, // 4
		event.RetryStarted{Attempt: 1, Delay: event.Duration(time.Second), Failure: event.Failure{Kind: "overloaded", Provider: "xai", Status: 529}},
		event.TextDelta{Text: "a secret answer"}, // 6
		event.TextDelta{Text: "more"},
		event.AssistantMessage{
			Provider: "xai", Model: "m-1-2026", Stop: model.StopTools, Usage: used, Cost: 0.25,
			Blocks: []model.Block{model.TextBlock("a secret answer")},
		}, // 8
		event.ToolIntended{Call: "c1", Name: "bash", Tool: "shell", Input: jsontext.Value(`{"command":"secret"}`)}, // 9
		event.ApprovalAsked{ID: "a1", Call: "c1", Mode: "workspace-write"},                                         // 10
		event.ApprovalAnswered{ID: "a1", Allowed: true, By: event.ByClient},                                        // 11
		event.ToolStarted{Call: "c1", Confined: "landlock"},
		event.ToolEnded{Call: "c1", Outcome: event.Failed, Output: "a secret result", Ran: event.Duration(500 * time.Millisecond)}, // 13
		event.ToolIntended{Call: "c2", Name: "made_up"},
		event.ToolEnded{Call: "c2", Outcome: event.Denied}, // 15
		event.StepEnded{Step: 1},
		event.CompactionStarted{Reason: event.CompactThreshold}, // 17
		event.Compacted{Reason: event.CompactThreshold, Summary: "a secret summary", TokensBefore: 900, TokensAfter: 90, Usage: model.Usage{Input: 9, Output: 1}},
		event.StepStarted{Step: 2, Model: "m-1"}, // 19
		event.StepEnded{Step: 2, Failure: &event.Failure{Kind: "rate_limited", Provider: "xai", Message: "quoting a secret prompt", Code: "slow_down", Status: 429}},
		event.TurnEnded{Reason: event.TurnFailed, Failure: &event.Failure{Kind: "rate_limited", Message: "quoting a secret prompt"}, Steps: 2, Usage: used, Cost: 0.25},
	)
}

// TestSpans: the spans of a turn have names, kinds, times, parents, attributes and errors by the conventions, and no content.
func TestSpans(t *testing.T) {
	c := newCollector(t)
	export(t, c, nil, Settings{}, Session{ID: "s", Log: whole()})
	type want struct {
		name, parent string
		kind         otlp.Kind
		from, to     int // seconds
		status       string
		attributes   map[string]any
	}
	usage := map[string]any{attrInput: int64(135), attrOutput: int64(20), attrCacheRead: int64(30), attrCacheWrite: int64(5), attrReasoning: int64(7), attrCost: 0.25}
	with := func(m map[string]any) map[string]any { maps.Copy(m, usage); return m }
	for _, w := range []want{
		{"invoke_agent parley", "", otlp.KindInternal, 1, 21, "rate_limited", with(map[string]any{
			attrOperation: "invoke_agent", attrAgent: "parley", attrTurn: "t1", attrTurnReason: "failed", attrSteps: int64(2), attrErrorType: "rate_limited",
			attrRequestModel: "m-1", attrProvider: "x_ai",
		})},
		{"execute_tool bash", "invoke_agent parley", otlp.KindInternal, 9, 13, "tool_error", map[string]any{
			attrOperation: "execute_tool", attrTool: "bash", attrToolType: "function", attrCall: "c1", attrErrorType: "tool_error",
		}},
		{"approval", "execute_tool bash", otlp.KindInternal, 10, 11, "", map[string]any{attrMode: "workspace-write", attrAllowed: true, attrBy: "client"}},
		{"execute_tool made_up", "invoke_agent parley", otlp.KindInternal, 14, 15, "denied", map[string]any{
			attrOperation: "execute_tool", attrTool: "made_up", attrToolType: "function", attrCall: "c2", attrErrorType: "denied",
		}},
		{"compaction", "invoke_agent parley", otlp.KindInternal, 17, 18, "", map[string]any{
			attrOperation: "compact", attrReason: "threshold", attrInput: int64(9), attrOutput: int64(1), attrTokensBefore: int64(900), attrTokensAfter: int64(90),
		}},
	} {
		s := c.span(t, w.name)
		check(t, c, s, w.parent, w.kind, w.from, w.to, w.status)
		if diff := cmp.Diff(w.attributes, attributes(s)); diff != "" {
			t.Errorf("%s has other attributes (- want):\n%s", w.name, diff)
		}
	}
	chats := map[int64]otlp.Span{}
	for _, s := range c.spans {
		if n, ok := attributes(s)[attrStep].(int64); ok && s.Name == "chat m-1" {
			chats[n] = s
		}
	}
	if len(chats) != 2 || len(c.spans) != 7 {
		t.Fatalf("%d spans, %d of steps", len(c.spans), len(chats))
	}
	check(t, c, chats[1], "invoke_agent parley", otlp.KindClient, 4, 8, "")
	check(t, c, chats[2], "invoke_agent parley", otlp.KindClient, 19, 20, "rate_limited: slow_down")
	if diff := cmp.Diff(with(map[string]any{
		attrOperation: "chat", attrRequestModel: "m-1", attrResponseModel: "m-1-2026", attrProvider: "x_ai", attrStep: int64(1),
		attrFinish: []any{"tool_call"}, attrFirstChunk: 2.0,
	}), attributes(chats[1])); diff != "" {
		t.Errorf("the call of a model has other attributes (- want):\n%s", diff)
	}
	retry := chats[1].Events[0]
	if diff := cmp.Diff(map[string]any{attrAttempt: int64(1), attrDelay: 1.0, attrErrorType: "overloaded", attrStatus: int64(529)}, otlptest.Map(retry.Attributes)); retry.Name != "retry" || diff != "" {
		t.Errorf("%s: %s", retry.Name, diff)
	}
	for _, s := range c.spans {
		if id := otlptest.Text(s.Attributes, attrConversation); id != "s" {
			t.Errorf("%s has the conversation %q", s.Name, id)
		}
		if text := everything(s); strings.Contains(text, "secret") {
			t.Errorf("%s has content: %s", s.Name, text)
		}
	}
	resource := otlptest.Map(c.resource)
	if instance, ok := resource["service.instance.id"]; !ok || instance == "" || resource["service.name"] != "parley" || resource["service.version"] != "1.2.3" {
		t.Errorf("the resource is %v", resource)
	}
}

// everything returns all texts of a span.
func everything(s otlp.Span) string {
	line, _ := otlp.JSON(&s)
	return string(line)
}

func check(t *testing.T, c *collector, s otlp.Span, parent string, kind otlp.Kind, from, to int, status string) {
	t.Helper()
	id := ""
	if parent != "" {
		id = c.span(t, parent).SpanID.String()
	}
	at := func(seconds int) uint64 { return uint64(start.Add(time.Duration(seconds) * time.Second).UnixNano()) }
	if s.ParentSpanID.String() != id || s.Kind != kind || s.StartTime != at(from) || s.EndTime != at(to) {
		t.Errorf("%s: parent %v of %v, kind %v, %v to %v", s.Name, s.ParentSpanID, id, s.Kind, time.Unix(0, int64(s.StartTime)), time.Unix(0, int64(s.EndTime)))
	}
	failed := s.Status.Code == otlp.StatusError
	if failed != (status != "") || s.Status.Message != status {
		t.Errorf("%s: status %v %q, want %q", s.Name, s.Status.Code, s.Status.Message, status)
	}
}

// TestMetrics: durations, tokens, cost, retries and waits are counted, each with the attributes of the conventions.
func TestMetrics(t *testing.T) {
	c := newCollector(t)
	export(t, c, nil, Settings{}, Session{ID: "s", Log: whole()})
	const chat = "gen_ai.operation.name=chat gen_ai.provider.name=x_ai gen_ai.request.model="
	for name, want := range map[string]map[string]float64{ // points by attributes: the sum, and 1000 for each value of a histogram
		metricModelDuration: {chat + "m-1": 1004, "error.type=rate_limited " + chat + "m-1": 1001},
		metricFirstChunk:    {chat + "m-1": 1002},
		metricTokens: {
			chat + "m-1-2026 gen_ai.token.type=input": 2144, chat + "m-1-2026 gen_ai.token.type=output": 2021,
		},
		metricCost:         {"gen_ai.provider.name=x_ai gen_ai.request.model=m-1-2026": 0.25},
		metricRetries:      {"error.type=overloaded gen_ai.provider.name=x_ai": 1},
		metricTurnDuration: {"error.type=rate_limited gen_ai.agent.name=parley gen_ai.request.model=m-1 parley.turn.reason=failed": 1020},
		metricToolDuration: {"error.type=tool_error gen_ai.tool.name=shell": 1000.5, "error.type=denied gen_ai.tool.name=unknown": 1000},
		metricApprovalWait: {"parley.answered.by=client parley.approval.allowed=true": 1001},
		metricQueueWait:    {"": 1002},
		metricQueued:       {"": 0},
		metricCompaction:   {"parley.compaction.reason=threshold": 1001},
		metricActiveTurns:  {"": 0},
		metricSessions:     {"": 0},
	} {
		m, ok := c.metrics[name]
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		if diff := cmp.Diff(want, points(m)); diff != "" {
			t.Errorf("%s has other points (- want):\n%s", name, diff)
		}
		delete(c.metrics, name)
	}
	if len(c.metrics) > 0 {
		t.Errorf("further metrics: %v", slices.Collect(maps.Keys(c.metrics)))
	}
}

// points returns the points of a metric by their attributes.
func points(m otlp.Metric) map[string]float64 {
	all := map[string]float64{}
	key := func(attributes []otlp.KeyValue) string {
		var parts []string
		for _, a := range attributes {
			parts = append(parts, a.Key+"="+otlptest.Text(attributes, a.Key))
		}
		slices.Sort(parts)
		return strings.Join(parts, " ")
	}
	if m.Histogram != nil {
		for _, p := range m.Histogram.Points {
			all[key(p.Attributes)] = *p.Sum + 1000*float64(p.Count)
		}
		return all
	}
	for _, p := range m.Sum.Points {
		if p.Double != nil {
			all[key(p.Attributes)] = *p.Double
		} else {
			all[key(p.Attributes)] = float64(*p.Int)
		}
	}
	return all
}

// TestContent: with the setting, or the variable, content is exported, cut; the variable wins.
func TestContent(t *testing.T) {
	const capture = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
	for _, tt := range []struct {
		setting  bool
		variable string
		want     bool
	}{{true, "", true}, {false, "true", true}, {false, "SPAN_ONLY", true}, {true, "false", false}, {false, "", false}} {
		c := newCollector(t)
		export(t, c, map[string]string{capture: tt.variable}, Settings{Content: tt.setting}, Session{ID: "s", Log: whole()})
		turn, call := attributes(c.span(t, "invoke_agent parley")), attributes(c.span(t, "execute_tool bash"))
		if !tt.want {
			if turn[attrInputText] != nil || call[attrArguments] != nil {
				t.Errorf("%+v: content is exported", tt)
			}
			continue
		}
		for got, want := range map[any]any{
			turn[attrInputText]:  `[{"role":"user","parts":[{"type":"text","content":"a secret prompt"}]}]`,
			turn[attrOutputText]: `[{"role":"assistant","parts":[{"type":"text","content":"a secret answer"}]}]`,
			call[attrArguments]:  `{"command":"secret"}`,
			call[attrResult]:     "a secret result",
		} {
			if got != want {
				t.Errorf("%+v: %v, want %v", tt, got, want)
			}
		}
	}
	if long := cut(strings.Repeat("é", maxContent)); len(long) > maxContent+len("…") || !strings.HasSuffix(long, "é…") {
		t.Errorf("a long text is cut to %d bytes", len(long))
	}
}

// TestInterrupted: what is open when a turn is interrupted ends with it, as interrupted.
func TestInterrupted(t *testing.T) {
	c := newCollector(t)
	export(t, c, nil, Settings{}, Session{ID: "s", Log: records("t1",
		event.TurnStarted{},
		event.StepStarted{Step: 1, Model: "m"},
		event.AssistantMessage{Model: "m", Stop: model.StopTools},
		event.ToolIntended{Call: "c", Name: "ask"},
		event.QuestionAsked{ID: "q", Call: "c"},
		event.QuestionAnswered{ID: "q", By: event.ByInterrupt},
		event.ToolEnded{Call: "c", Outcome: event.Interrupted},
		event.StepEnded{Step: 1},
		event.CompactionStarted{Reason: event.CompactAsked},
		event.StepStarted{Step: 2, Model: "n"},
		event.AssistantMessage{Model: "n", Partial: true, Usage: model.Usage{Input: 1, Output: 1, Estimated: true}},
		event.TurnEnded{Reason: event.TurnInterrupted},
	)})
	check(t, c, c.span(t, "invoke_agent parley"), "", otlp.KindInternal, 0, 11, interrupted)
	check(t, c, c.span(t, "chat n"), "invoke_agent parley", otlp.KindClient, 9, 11, interrupted)
	check(t, c, c.span(t, "chat m"), "invoke_agent parley", otlp.KindClient, 1, 2, "")
	check(t, c, c.span(t, "execute_tool ask"), "invoke_agent parley", otlp.KindInternal, 3, 6, interrupted)
	check(t, c, c.span(t, "question"), "execute_tool ask", otlp.KindInternal, 4, 5, "")
	check(t, c, c.span(t, "compaction"), "invoke_agent parley", otlp.KindInternal, 8, 11, "not_compacted")
	if m, ok := c.metrics[metricTokens]; ok {
		t.Errorf("estimated tokens are counted: %v", points(m))
	}
}

// TestResumed: turns of before are not exported again, nor those of other processes; the end of a turn whose process was killed
// is, with its true begin, as the span that the children which that process sent belong to.
func TestResumed(t *testing.T) {
	first, second := newCollector(t), newCollector(t)
	l := records("t1",
		event.TurnStarted{},
		event.StepStarted{Step: 1, Model: "m"},
		event.AssistantMessage{Model: "m"},
		event.TurnEnded{Reason: event.TurnInterrupted, Recovered: true},
		event.SyncStarted{},
		event.TurnStarted{},
		event.TurnEnded{Reason: event.TurnCompleted},
		event.SyncEnded{},
	)
	for i := 4; i < 8; i++ {
		l[i].Turn = "t2"
	}
	export(t, first, nil, Settings{}, Session{ID: "s", Log: l[:3]})
	export(t, second, nil, Settings{}, Session{ID: "s", Log: l, From: 4})
	if len(first.spans) != 1 || len(second.spans) != 1 {
		t.Fatalf("%d and %d spans", len(first.spans), len(second.spans))
	}
	step, turn := first.span(t, "chat m"), second.span(t, "invoke_agent parley")
	if step.ParentSpanID.String() != turn.SpanID.String() || step.TraceID.String() != turn.TraceID.String() {
		t.Errorf("the step is in %v below %v, the turn is %v in %v", step.TraceID, step.ParentSpanID, turn.SpanID, turn.TraceID)
	}
	check(t, second, turn, "", otlp.KindInternal, 0, 3, interrupted)
}

// TestOthers: what a session that is opened while another process works on it receives first is not exported.
func TestOthers(t *testing.T) {
	c := newCollector(t)
	l := records("t1", event.TurnEnded{Reason: event.TurnCompleted, Recovered: true}, event.SyncEnded{}, event.TurnStarted{}, event.TurnEnded{Reason: event.TurnCompleted})
	l[2].Turn, l[3].Turn = "t2", "t2"
	export(t, c, nil, Settings{}, Session{ID: "s", Log: l, From: 1, Others: true})
	if id := otlptest.Text(c.span(t, "invoke_agent parley").Attributes, attrTurn); id != "t2" {
		t.Errorf("the turn %s is exported", id)
	}
}

// TestSubagents: the turn of a subagent, and of its own one, is within the call that it works for, whichever is followed first.
func TestSubagents(t *testing.T) {
	for _, env := range []map[string]string{nil, {"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}} {
		c := newCollector(t)
		outer := records("t1", event.TurnStarted{}, event.ToolIntended{Call: "c", Name: "task"}, event.SubagentStarted{Call: "c", Agent: "explore", Session: "in"},
			event.ToolEnded{Call: "c", Outcome: event.Succeeded}, event.TurnEnded{Reason: event.TurnCompleted})
		inner := records("t2", event.TurnStarted{}, event.ToolIntended{Call: "d", Name: "task2"}, event.ToolEnded{Call: "d", Outcome: event.Succeeded},
			event.TurnEnded{Reason: event.TurnCompleted})
		last := records("t3", event.TurnStarted{}, event.TurnEnded{Reason: event.TurnCompleted})
		tel, err := New(Options{Settings: Settings{Endpoint: c.URL}, Getenv: func(name string) string { return env[name] }, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		tel.Follow(Session{ID: "in", Log: held{inner, gate}, Work: &Work{Session: "out", Turn: "t1", Call: "c", Agent: "explore"}})
		tel.Follow(Session{ID: "last", Log: last, Work: &Work{Session: "in", Turn: "t2", Call: "d", Agent: "plan"}})
		close(gate)
		tel.Follow(Session{ID: "out", Log: outer})
		tel.Close()
		root := c.span(t, "invoke_agent parley")
		for child, parent := range map[string]string{
			"execute_tool task": "invoke_agent parley", "invoke_agent explore": "execute_tool task", "execute_tool task2": "invoke_agent explore",
			"invoke_agent plan": "execute_tool task2",
		} {
			s := c.span(t, child)
			if s.ParentSpanID.String() != c.span(t, parent).SpanID.String() || s.TraceID.String() != root.TraceID.String() {
				t.Errorf("%s is not below %s", child, parent)
			}
		}
		if env != nil && (root.TraceID.String() != "0af7651916cd43dd8448eb211c80319c" || root.ParentSpanID.String() != "b7ad6b7169203331") {
			t.Errorf("the turn is in %v below %v", root.TraceID, root.ParentSpanID)
		}
	}
}

// TestNotSampled: a caller that does not sample its trace has nothing exported, but metrics.
func TestNotSampled(t *testing.T) {
	c := newCollector(t)
	env := map[string]string{"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}
	export(t, c, env, Settings{}, Session{ID: "s", Log: whole()}, Session{ID: "in", Log: whole(), Work: &Work{Session: "s", Turn: "t1", Call: "c1", Agent: "x"}})
	if len(c.spans) > 0 || c.metrics[metricTurnDuration].Histogram == nil {
		t.Errorf("%d spans; metrics %v", len(c.spans), c.metrics)
	}
}
