package mock

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/model/modeltest"
)

// A Model is a running server, on a port of its own of this machine.
type Model struct {
	URL string

	server *http.Server
	mu     sync.Mutex
	take   *Take
}

// A Take is one playing of a scenario.
type Take struct {
	scenario Scenario

	mu       sync.Mutex
	rendered map[modeltest.Wire]string
	arrived  []time.Duration
	sent     []time.Duration
	last     []byte
}

// New starts a Model.
func New() (*Model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	m := &Model{URL: "http://" + listener.Addr().String()}
	m.server = &http.Server{Handler: m}
	go func() { _ = m.server.Serve(listener) }() // it ends with Close
	m.Play(Scenario{})
	return m, nil
}

// Close ends the server and whatever it still answers.
func (m *Model) Close() error { return m.server.Close() }

// Play makes s what requests are answered with from now on.
func (m *Model) Play(s Scenario) *Take {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take = &Take{scenario: s, rendered: map[modeltest.Wire]string{}}
	return m.take
}

// Arrived returns when the requests came.
func (t *Take) Arrived() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]time.Duration(nil), t.arrived...)
}

// Sent returns when the whole answer to each request was on its way.
func (t *Take) Sent() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]time.Duration(nil), t.sent...)
}

// Last returns the body of the last request.
func (t *Take) Last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

// ServeHTTP answers one request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := Now()
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"`+modeltest.Model+`","object":"model"}],"models":[],"has_more":false}`)
		return
	}
	wire, ok := wireOf(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	take := m.take
	m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent is gone
	}
	w.Header().Set("Content-Type", "text/event-stream")
	take.play(r.Context(), w, wire, now, body)
}

func wireOf(path string) (modeltest.Wire, bool) {
	for _, w := range []modeltest.Wire{modeltest.OpenAIChat, modeltest.OpenAIResponses, modeltest.Anthropic} {
		if strings.HasSuffix(path, string(w)) {
			return w, true
		}
	}
	return "", false
}

// play answers the request that came then.
func (t *Take) play(ctx context.Context, w http.ResponseWriter, wire modeltest.Wire, then time.Duration, body []byte) {
	t.mu.Lock()
	n := len(t.arrived)
	t.arrived, t.last = append(t.arrived, then), body
	t.mu.Unlock()
	if wait(ctx, t.scenario.First) != nil {
		return
	}
	flush := http.NewResponseController(w).Flush
	switch {
	case n < t.scenario.Rounds:
		_, _ = io.WriteString(w, t.scenario.call(wire, n)) // an agent that is gone is seen elsewhere
	case t.scenario.Every > 0:
		t.paced(ctx, w, flush, wire)
	default:
		_, _ = io.WriteString(w, t.answer(wire))
	}
	_ = flush()
	sent := Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = append(t.sent, sent)
}

// answer returns the final answer, made once.
func (t *Take) answer(wire modeltest.Wire) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.rendered[wire]; !ok {
		t.rendered[wire] = t.scenario.answer(wire)
	}
	return t.rendered[wire]
}

// paced sends delta after delta, each at its time and with its time.
func (t *Take) paced(ctx context.Context, w io.Writer, flush func() error, wire modeltest.Wire) {
	begin, said := Now(), 0
	for _, f := range frames(t.answer(wire)) {
		frame := []byte(f)
		if said < t.scenario.Deltas && strings.Contains(f, unsent) {
			if wait(ctx, begin+time.Duration(said)*t.scenario.Every-Now()) != nil {
				return
			}
			stamp(frame, Now())
			said++
		}
		if _, err := w.Write(frame); err != nil || flush() != nil {
			return
		}
	}
}

// wait waits; the error is that of ctx.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Prepare renders the final answer beforehand, so that making it is not measured.
func (t *Take) Prepare() {
	for _, w := range []modeltest.Wire{modeltest.OpenAIChat, modeltest.OpenAIResponses, modeltest.Anthropic} {
		t.answer(w)
	}
}
