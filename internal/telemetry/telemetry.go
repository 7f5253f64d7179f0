package telemetry

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/telemetry/target"
)

// ExitWait is the longest time that Close takes, whatever the collector does.
const ExitWait = 2 * time.Second

const (
	scopeName = "parley.dev/parley"
	// schemaURL names the conventions that the names of gen_ai are of.
	schemaURL = "https://opentelemetry.io/schemas/1.41.0"
	// deltaGap is how long deltas of an answer wait and merge: only when the first one came is of interest.
	deltaGap = 250 * time.Millisecond
)

// A Log is what the records of a session are read from.
type Log interface {
	FollowPaced(ctx context.Context, from uint64, gap func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error]
	Records(ctx context.Context) iter.Seq2[event.Record, error]
}

// A Session is a session that is followed.
type Session struct {
	ID     event.SessionID
	Log    Log
	From   uint64 // number of the first record that is exported
	Others bool   // what comes first is of another process, up to event.SyncEnded
	Work   *Work  // nil: it works for no tool call
}

// Work is the tool call that a session works for.
type Work struct {
	Session event.SessionID
	Turn    event.TurnID
	Call    event.CallID
	Agent   string
}

// Settings are those of the configuration file.
type Settings = target.Settings

// Options are what Telemetry works with.
type Options struct {
	Settings Settings
	Getenv   func(string) string
	Version  string // of the program
	Log      *slog.Logger
}

// Telemetry exports what happens in sessions. Close it.
type Telemetry struct {
	content bool
	log     *slog.Logger
	clients []*client

	spans   provider // nil: traces are not exported
	meters  provider // nil: metrics are not exported
	tracer  trace.Tracer
	numbers instruments
	caller  trace.SpanContext // of TRACEPARENT; not valid: there is none

	ctx     context.Context // of the followers
	stop    context.CancelFunc
	running sync.WaitGroup

	mu        lock.Mutex
	closed    bool
	subagents map[event.SessionID]trace.SpanContext // of sessions that work for a call: the span of the call
}

// A provider of the SDK exports what it has and ends. Were its type a field of Telemetry, the compiler would load the types of
// the whole SDK for each package that names a struct with a Telemetry.
type provider interface {
	Shutdown(context.Context) error
}

// New returns what exports to the collector that the settings or the variables name; nil: they name none. The error names the
// variable that cannot be used. No collector is called yet.
func New(o Options) (*Telemetry, error) {
	c, err := target.Configure(o.Settings, o.Getenv)
	switch {
	case errors.Is(err, target.ErrOff):
		return nil, nil //nolint:nilnil // there is nothing to export to
	case err != nil:
		return nil, err
	}
	t := &Telemetry{
		content: c.Content, log: o.Log, tracer: tracenoop.NewTracerProvider().Tracer(scopeName),
		subagents: map[event.SessionID]trace.SpanContext{},
	}
	carrier := propagation.MapCarrier{"traceparent": o.Getenv("TRACEPARENT"), "tracestate": o.Getenv("TRACESTATE")}
	t.caller = trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	r := resourceOf(o.Version)
	meter := metricnoop.NewMeterProvider().Meter(scopeName)
	if c.Traces.URL != "" {
		client, err := t.client(target.Traces, c.Traces, o)
		if err != nil {
			return nil, err
		}
		spans := sdktrace.NewTracerProvider(sdktrace.WithResource(r), sdktrace.WithIDGenerator(generator{}), sdktrace.WithBatcher(spanExporter{client}))
		t.spans = spans
		t.tracer = spans.Tracer(scopeName, trace.WithInstrumentationVersion(o.Version), trace.WithSchemaURL(schemaURL))
	}
	if c.Metrics.URL != "" {
		client, err := t.client(target.Metrics, c.Metrics, o)
		if err != nil {
			return nil, err
		}
		meters := sdkmetric.NewMeterProvider(sdkmetric.WithResource(r), sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter),
			sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricExporter{client: client, delta: c.Delta})))
		t.meters = meters
		meter = meters.Meter(scopeName, metric.WithInstrumentationVersion(o.Version), metric.WithSchemaURL(schemaURL))
	}
	if t.numbers, err = newInstruments(meter); err != nil {
		return nil, err
	}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t, nil
}

// client returns the client of a signal, which is closed with t.
func (t *Telemetry) client(s target.Signal, to target.Target, o Options) (*client, error) {
	c, err := newClient(s, to, "Parley/"+o.Version, o.Log)
	if err == nil {
		t.clients = append(t.clients, c)
	}
	return c, err
}

// resourceOf returns what describes the process. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win. It has no name of the
// host or the user.
func resourceOf(version string) *resource.Resource {
	r, err := resource.New(context.Background(),
		resource.WithAttributes(
			attribute.String("service.name", "parley"), attribute.String("service.version", version),
			attribute.String("service.instance.id", uuid.NewString()),
		),
		resource.WithTelemetrySDK(), resource.WithFromEnv(),
	)
	if err != nil && r == nil {
		return resource.Empty()
	}
	return r // what of the variables cannot be read is left out
}

// Follow begins to export a session, until its log ends. It does not wait.
func (t *Telemetry) Follow(s Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	records := s.Log.FollowPaced(t.ctx, s.From, func() time.Duration { return deltaGap },
		event.KindTextDelta, event.KindThinkingDelta, event.KindToolInputDelta, event.KindRetryStarted, event.KindCompactionStarted,
		event.KindSyncStarted, event.KindSyncEnded)
	f := &follower{t: t, s: s, others: s.Others, agent: agentName, queued: map[event.PromptID]time.Time{}}
	if s.Work != nil {
		f.agent = s.Work.Agent
		f.parent = t.callSpan(*s.Work)
		t.subagents[s.ID] = f.parent
	} else {
		f.parent = t.caller
	}
	t.running.Go(func() {
		t.numbers.sessions.Add(t.ctx, 1)
		for rec, err := range records {
			if err != nil {
				break // the journal cannot be read, which is reported elsewhere, or the process ends
			}
			f.apply(rec)
		}
		f.end()
		t.numbers.sessions.Add(t.ctx, -1)
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.subagents, s.ID)
	})
}

// callSpan returns the context of the span of a call, which may not have been started yet. The caller holds the lock.
func (t *Telemetry) callSpan(w Work) trace.SpanContext {
	parent, nested := t.subagents[w.Session]
	if !nested {
		parent = t.caller
	}
	id := parent.TraceID()
	if !parent.IsValid() {
		id = traceOf(w.Session, w.Turn)
	}
	// Whether the trace is sampled depends on its id and its parent only: this span is never ended, and so not exported.
	ctx := withIDs(trace.ContextWithRemoteSpanContext(context.Background(), parent), ids{id, spanOf(spanTurn, w.Session, string(w.Turn))})
	_, turn := t.tracer.Start(ctx, "")
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: id, SpanID: spanOf(spanCall, w.Session, string(w.Call)), TraceFlags: turn.SpanContext().TraceFlags(),
		TraceState: turn.SpanContext().TraceState(), Remote: true,
	})
}

// Close exports what is left and ends. It takes at most ExitWait: what a collector has not received then is lost. The sessions
// should be closed before.
func (t *Telemetry) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), ExitWait)
	defer cancel()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	for _, c := range t.clients {
		c.endRetries()
	}
	followed := make(chan struct{})
	go func() {
		t.running.Wait()
		close(followed)
	}()
	open := time.NewTimer(ExitWait / 2) // sessions that were not closed leave time to send what they did
	defer open.Stop()
	select {
	case <-followed:
	case <-open.C:
	}
	t.stop()
	<-followed // they end with t.ctx
	var both sync.WaitGroup
	if t.spans != nil {
		both.Go(func() { _ = t.spans.Shutdown(ctx) }) // what was not sent was logged
	}
	if t.meters != nil {
		both.Go(func() { _ = t.meters.Shutdown(ctx) })
	}
	both.Wait()
	for _, c := range t.clients {
		c.close()
	}
}
