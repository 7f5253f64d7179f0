package telemetry

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/telemetry/otlp"
	"parley.dev/parley/internal/telemetry/otlp/otlptest"
	"parley.dev/parley/internal/transcript"
)

const script = `
text I look at a secret-of-the-model.
call bash {"command":"exit 3 # secret-of-the-tool"}
usage in=1480 out=31 cache_read=20
next
text Done.
usage in=1500 out=3
next
fail rejected status=400 No secret-of-the-failure.
`

// TestCollector: what two turns of a ScaiFlux client were is in a real collector, whatever the encoding: spans with their names,
// parents, errors and tokens, and metrics; and no content.
func TestCollector(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"http/protobuf", "http/json"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			c := startCollector(t)
			transcript.BuildHost(t) // parley executes it
			p := stage.NewPlace(t)
			p.Plays(t, script)
			p.Env = append(p.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.url, "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_SERVICE_NAME=agents",
				"OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip")
			s := client.StartScaiFlux(t, p, "--permission-mode", "danger-full-access")
			s.Prompt("Look at the secret-of-the-user.")
			s.Turn()
			s.Prompt("Again.")
			s.Turn()
			s.Exit()
			checkReceived(t, c.received(t))
		})
	}
}

func checkReceived(t *testing.T, r received) {
	t.Helper()
	turn, chat, tool := r.span("invoke_agent parley"), r.span("chat script"), r.span("execute_tool bash")
	for _, s := range []otlp.Span{chat, tool} {
		if s.ParentSpanID.String() != turn.SpanID.String() || s.TraceID.String() != turn.TraceID.String() {
			t.Errorf("%s is not below the turn", s.Name)
		}
	}
	if len(turn.ParentSpanID) > 0 || turn.Status.Code != 0 || tool.Status.Code != otlp.StatusError {
		t.Errorf("parent of the turn %v, status %v, of the tool %v", turn.ParentSpanID, turn.Status.Code, tool.Status.Code)
	}
	approval := r.span("approval")
	for _, test := range []struct {
		span otlp.Span
		want map[string]string
	}{
		{turn, map[string]string{
			"gen_ai.operation.name": "invoke_agent", "parley.turn.reason": "completed", "gen_ai.usage.input_tokens": "3000", "gen_ai.usage.output_tokens": "34",
		}},
		{chat, map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "offline", "gen_ai.request.model": "script", "gen_ai.usage.input_tokens": "1500",
			"gen_ai.usage.cache_read.input_tokens": "20", "gen_ai.response.finish_reasons": `["tool_call"]`,
		}},
		{tool, map[string]string{"gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "call_1", "error.type": "tool_error"}},
		{approval, map[string]string{"parley.approval.allowed": "true", "parley.answered.by": "client"}},
	} {
		s := test.span
		for name, value := range test.want {
			if got := otlptest.Text(s.Attributes, name); got != value {
				t.Errorf("%s: %s is %q, want %q", s.Name, name, got, value)
			}
		}
		const conversation = "gen_ai.conversation.id"
		if id := otlptest.Text(s.Attributes, conversation); id == "" || id != otlptest.Text(turn.Attributes, conversation) {
			t.Errorf("%s: the conversation is %q", s.Name, id)
		}
		if s.EndTime < s.StartTime || s.StartTime < turn.StartTime || s.EndTime > turn.EndTime {
			t.Errorf("%s is not within the turn", s.Name)
		}
	}
	if approval.ParentSpanID.String() != tool.SpanID.String() {
		t.Error("the approval is not below the tool")
	}
	failed := 0
	var names []string
	for _, s := range r.spans {
		names = append(names, s.Name)
		if otlptest.Text(s.Attributes, "error.type") == "rejected" && s.TraceID.String() != turn.TraceID.String() {
			failed++ // the second turn, and its call of the model
		}
		if line, _ := otlp.JSON(&s); strings.Contains(string(line), "secret-of") {
			t.Errorf("content is exported: %s", line)
		}
	}
	if failed != 2 || len(r.spans) != 7 {
		t.Errorf("%d spans failed as rejected, of %q", failed, names)
	}
	for _, resource := range r.resources {
		attributes := otlptest.Map(resource.Attributes)
		if attributes["service.name"] != "agents" || attributes["deployment.environment.name"] != "test" {
			t.Errorf("the resource is %v", attributes)
		}
	}
	if n := count(r.metrics["gen_ai.client.token.usage"]); n != 4 {
		t.Errorf("%d values of tokens, want 4", n)
	}
	if n := count(r.metrics["gen_ai.invoke_agent.duration"]); n != 2 {
		t.Errorf("%d values of turns, want 2", n)
	}
	if n := count(r.metrics["gen_ai.execute_tool.duration"]); n != 1 {
		t.Errorf("%d values of tools, want 1", n)
	}
}

// count returns how many values the last report of a histogram has.
func count(reports []otlp.Metric) (n uint64) {
	if len(reports) == 0 {
		return 0
	}
	for _, p := range reports[len(reports)-1].Histogram.Points {
		n += p.Count
	}
	return n
}

// TestInterrupted: a turn of a Flint client that is interrupted while its command runs is an error, and so are the command and
// nothing else; a resumed session does not export it again.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	transcript.BuildHost(t) // parley executes it
	p := stage.NewPlace(t)
	h := stage.Holding(t, p.Work)
	p.Plays(t, "text Begun.\ncall shell {\"command\":\""+stage.Family+"\"}\nusage in=10 out=5\nnext\ntext Here.\n")
	p.Env = append(p.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.url)
	f := client.StartFlint(t, p, "--approval-policy", "never", "--sandbox", "dangerFullAccess")
	thread := f.StartThread(`{}`)
	turn := f.Begin(thread)
	h.Started()
	f.Interrupt(thread, turn)
	f.UntilMethod("turn/completed")
	f.Hangup()
	f.Code()
	f = client.StartFlint(t, p)
	f.Resume(thread)
	f.Hangup()
	f.Code()
	r := c.received(t)
	for name, want := range map[string]string{"invoke_agent parley": "interrupted", "execute_tool shell": "interrupted", "chat script": ""} {
		s := r.span(name)
		kind := otlptest.Text(s.Attributes, "error.type")
		if failed := s.Status.Code == otlp.StatusError; kind != want || failed != (want != "") {
			t.Errorf("%s: error.type %q, failed: %v", name, kind, failed)
		}
	}
	if len(r.spans) != 3 {
		t.Errorf("%d spans, want 3", len(r.spans))
	}
}

// TestKilledCollector: turns go on, and the process ends, when the collector was killed.
func TestKilledCollector(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	transcript.BuildHost(t) // parley executes it
	p := stage.NewPlace(t)
	p.Plays(t, "text One.\nnext\ntext Two.\n")
	p.Env = append(p.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.url, "OTEL_BSP_SCHEDULE_DELAY=1", "OTEL_METRIC_EXPORT_INTERVAL=10")
	s := client.StartScaiFlux(t, p)
	s.Prompt("One")
	s.WantCompleted()
	c.Kill()
	s.Prompt("Two")
	s.WantCompleted()
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestBadCollectors: with a collector that is not there, accepts connections and reads nothing, or refuses everything, turns
// complete and the process ends as always.
func TestBadCollectors(t *testing.T) {
	t.Parallel()
	var refused atomic.Int64
	refusing := func(code int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			refused.Add(1)
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(code)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	hanging, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts connections for it
	if err != nil {
		t.Fatal(err)
	}
	defer hanging.Close()
	for name, url := range map[string]string{
		"not there": "http://" + freeAddress(t), "hanging": "http://" + hanging.Addr().String(), "busy": refusing(429), "unavailable": refusing(503), "angry": refusing(400),
	} {
		t.Run(name, func(t *testing.T) {
			transcript.BuildHost(t) // parley executes it
			p := stage.NewPlace(t)
			p.Plays(t, "text One.\nnext\ntext Two.\n")
			p.Env = append(p.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+url, "OTEL_BSP_SCHEDULE_DELAY=1")
			s := client.StartScaiFlux(t, p)
			for range 2 {
				s.Prompt("Go on")
				s.WantCompleted()
			}
			if code := s.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
	if refused.Load() < 3 {
		t.Errorf("%d requests reached the collectors that refuse", refused.Load())
	}
}
