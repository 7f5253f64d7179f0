package modeltest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// A Request is what a Server was asked.
type Request struct {
	Path   string
	Header http.Header
	Raw    string         // the body
	Body   map[string]any // the body, parsed
}

// A Server plays a script, one reply for each request for an answer, in order. It also
// lists models. It is closed when the test ends, after which nothing of it runs.
type Server struct {
	URL string

	// Abandoned is sent to whenever a client leaves while its reply waits at a gate.
	Abandoned chan struct{}

	t        testing.TB
	done     chan struct{} // closed first of all when the server closes
	mu       sync.Mutex
	script   []Reply
	requests []Request
}

// NewServer returns a running Server. A request beyond the script's end fails the test.
func NewServer(t testing.TB, script ...Reply) *Server {
	s := &Server{t: t, script: script, done: make(chan struct{}), Abandoned: make(chan struct{}, len(script))}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.done)
		server.Close()
	})
	return s
}

// Requests returns what was asked for so far, lists of models left out.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[{"id":"`+Model+`","object":"model","display_name":"Scripted"}],"has_more":false}`)
		return
	}
	wire, ok := wireOf(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	reply, ok := s.next(r)
	switch {
	case !ok:
		s.t.Errorf("modeltest: %s %s: the script has ended", r.Method, r.URL.Path)
		http.Error(w, "the script has ended", http.StatusTeapot)
	case reply.status != 0:
		for name := range reply.header {
			w.Header().Set(name, reply.header.Get(name))
		}
		w.WriteHeader(reply.status)
		io.WriteString(w, reply.body)
	default:
		s.stream(w, r, wire, reply)
	}
}

func wireOf(path string) (Wire, bool) {
	for _, w := range []Wire{OpenAIChat, OpenAIResponses, Anthropic} {
		if strings.HasSuffix(path, string(w)) {
			return w, true
		}
	}
	return "", false
}

// next keeps r and takes the reply to it; false: there is none.
func (s *Server) next(r *http.Request) (Reply, bool) {
	kept := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	body, err := io.ReadAll(r.Body)
	if kept.Raw = string(body); err == nil {
		err = json.Unmarshal(body, &kept.Body)
	}
	if err != nil {
		s.t.Errorf("modeltest: body of %s: %v", r.URL.Path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, kept)
	if len(s.script) == 0 {
		return Reply{}, false
	}
	reply := s.script[0]
	s.script = s.script[1:]
	return reply, true
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, wire Wire, reply Reply) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	sent := 0
	for _, step := range wire.steps(reply) {
		switch {
		case step.cut:
			panic(http.ErrAbortHandler)
		case step.wait:
			select {
			case <-step.gate:
			case <-r.Context().Done():
				s.Abandoned <- struct{}{}
				return
			case <-s.done:
				return
			}
		default:
			for _, piece := range reply.pieces(step.data, sent) {
				io.WriteString(w, piece)
				http.NewResponseController(w).Flush()
			}
			sent += len(step.data)
		}
	}
}

// pieces returns data cut where r says; data begins at start of the stream.
func (r Reply) pieces(data string, start int) []string {
	var out []string
	last := 0
	for i := 1; i < len(data); i++ {
		if at := start + i; r.every > 0 && at%r.every == 0 || slices.Contains(r.at, at) {
			out = append(out, data[last:i])
			last = i
		}
	}
	return append(out, data[last:])
}
