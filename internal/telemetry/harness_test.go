package telemetry

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/telemetry/otlp"
	"parley.dev/parley/internal/telemetry/otlp/otlptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A collector receives OTLP.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []otlp.Span
	metrics  map[string]otlp.Metric // the last of each name
	resource []otlp.KeyValue
	requests []*http.Request
	// answer handles a request instead; nil: it is accepted.
	answer http.HandlerFunc
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]otlp.Metric{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	if c.answer != nil {
		c.answer(w, r)
		return
	}
	if err == nil {
		err = c.take(r, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (c *collector) take(r *http.Request, body []byte) error {
	decode := otlptest.Protobuf
	if r.Header.Get("Content-Type") == "application/json" {
		decode = func(data []byte, message any) error {
			return json.Unmarshal(data, message, json.RejectUnknownMembers(true))
		}
	}
	if r.URL.Path == "/v1/metrics" {
		var m otlp.Metrics
		if err := decode(body, &m); err != nil {
			return err
		}
		for _, rm := range m.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, metric := range sm.Metrics {
					c.metrics[metric.Name] = metric
				}
			}
		}
		return nil
	}
	var t otlp.Traces
	if err := decode(body, &t); err != nil {
		return err
	}
	for _, rs := range t.ResourceSpans {
		c.resource = rs.Resource.Attributes
		for _, ss := range rs.ScopeSpans {
			if len(ss.Spans) == 0 {
				return errors.New("a request without spans")
			}
			c.spans = append(c.spans, ss.Spans...)
		}
	}
	return nil
}

// span returns the only span of that name.
func (c *collector) span(t *testing.T, name string) otlp.Span {
	t.Helper()
	var found []otlp.Span
	var names []string
	for _, s := range c.spans {
		names = append(names, s.Name)
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are named %q; there are %q", len(found), name, names)
	}
	return found[0]
}

// attributes returns those of a span but for the conversation.
func attributes(s otlp.Span) map[string]any {
	all := otlptest.Map(s.Attributes)
	delete(all, attrConversation)
	return all
}

// A log is records.
type log []event.Record

func (l log) FollowPaced(_ context.Context, from uint64, _ func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range l {
			if rec.Seq >= from && rec.Seq != 0 || rec.Seq == 0 && slices.Contains(transient, rec.Event.Kind()) {
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

func (l log) Records(context.Context) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range l {
			if rec.Seq != 0 && !yield(rec, nil) {
				return
			}
		}
	}
}

// start is the time of the first record.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// records returns a log of events of a turn, one a second. Durable ones have numbers from 1 on.
func records(turn event.TurnID, events ...event.Event) (l log) {
	seq := uint64(0)
	for i, e := range events {
		rec := event.Record{Time: start.Add(time.Duration(i) * time.Second), Turn: turn, Event: e}
		if e.Kind().Durable() {
			seq++
			rec.Seq = seq
		}
		l = append(l, rec)
	}
	return l
}

// export exports sessions to a collector, and returns when all was sent.
func export(t *testing.T, c *collector, env map[string]string, s Settings, sessions ...Session) {
	t.Helper()
	if s.Endpoint == "" {
		s.Endpoint = c.URL
	}
	tel, err := New(Options{Settings: s, Getenv: func(name string) string { return env[name] }, Version: "1.2.3", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range sessions {
		tel.Follow(session)
	}
	tel.Close()
}

var quiet = slog.New(slog.DiscardHandler)

// held is a log whose records come when gate is closed.
type held struct {
	log
	gate chan struct{}
}

func (h held) FollowPaced(ctx context.Context, from uint64, gap func() time.Duration, transient ...event.Kind) iter.Seq2[event.Record, error] {
	records := h.log.FollowPaced(ctx, from, gap, transient...)
	return func(yield func(event.Record, error) bool) {
		<-h.gate
		records(yield)
	}
}

// endless is a log that does not end before its context.
type endless struct{ log }

func (endless) FollowPaced(ctx context.Context, _ uint64, _ func() time.Duration, _ ...event.Kind) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		<-ctx.Done()
		yield(event.Record{}, ctx.Err())
	}
}
