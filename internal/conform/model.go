package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
)

// ModelName is the name of the scripted model; the server answers to any.
const ModelName = "scripted-1"

// ModelKey is the key that programs get for the scripted model; the server accepts any.
const ModelKey = "parley-conform"

// calls counts the calls of tools of all models, so that their ids differ.
var calls atomic.Int64

func nextCall() int64 { return calls.Add(1) }

// A modelServer answers requests of programs by the answers of a case, on three wires.
type modelServer struct {
	url    string
	server *http.Server
	served chan struct{} // closed when the server has ended

	mu       sync.Mutex
	answers  []answer
	requests int
	arrived  chan struct{} // closed and replaced at each request
	lacking  chan string   // why a command could not be called; at most one
}

// startModel starts a server on a free port of the loopback interface.
func startModel(ctx context.Context, answers []answer) (*modelServer, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the scripted model: %w", err)
	}
	m := &modelServer{url: "http://" + l.Addr().String(), answers: answers, arrived: make(chan struct{}), lacking: make(chan string, 1), served: make(chan struct{})}
	m.server = &http.Server{Handler: m, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(m.served)
		_ = m.server.Serve(l) // ends by close
	}()
	return m, nil
}

// close ends the server and all its connections.
func (m *modelServer) close() {
	_ = m.server.Close() // of a listener on the loopback interface
	<-m.served
}

// await returns when n requests have come, or ctx ends.
func (m *modelServer) await(ctx context.Context, n int) error {
	for {
		m.mu.Lock()
		requests, arrived := m.requests, m.arrived
		m.mu.Unlock()
		if requests >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return fmt.Errorf("the model received %d requests, and not %d: %w", requests, n, context.Cause(ctx))
		}
	}
}

// A modelRequest is what is read of a request.
type modelRequest struct {
	Tools []modelTool `json:"tools"`
}

func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	render, ok := wireOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	var request modelRequest
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := m.next(request, string(body))
	w.Header().Set("Content-Type", "text/event-stream")
	if err := m.stream(r.Context(), w, render, a, request.Tools); err != nil && !errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// next returns the answer to a request. Requests for a title of a session are beside the script: many agents make them, at times of their own.
func (m *modelServer) next(r modelRequest, body string) answer {
	if len(r.Tools) == 0 && strings.Contains(strings.ToLower(body), "title") {
		return answer{{text: "A title"}}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	close(m.arrived)
	m.arrived = make(chan struct{})
	if m.requests > len(m.answers) {
		return answer{{text: "Done."}}
	}
	return m.answers[m.requests-1]
}

// stream sends an answer.
func (m *modelServer) stream(ctx context.Context, w http.ResponseWriter, render wire, a answer, tools []modelTool) error {
	flush := http.NewResponseController(w)
	write := func(events string) error {
		if _, err := io.WriteString(w, events); err != nil {
			return err
		}
		return flush.Flush()
	}
	if err := write(render.begin()); err != nil {
		return err
	}
	for _, p := range a {
		var events string
		switch {
		default:
			events = render.text(p.text)
		case p.hold:
			<-ctx.Done()
			return ctx.Err()
		case p.command != "":
			name, arguments, err := runs(tools, p.command)
			if err != nil {
				select {
				case m.lacking <- err.Error():
				default:
				}
				events = render.text("No tool runs commands.")
				break
			}
			events = render.call(name, arguments)
		}
		if err := write(events); err != nil {
			return err
		}
	}
	return write(render.end())
}
