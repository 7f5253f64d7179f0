package stage

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// Key is a secret that must not be seen anywhere but in the header of a request.
const Key = "sk-do-not-show-this-1234567890"

// manyRequests is how many events of a backend wait for the test.
const manyRequests = 256

// A Backend is a model server that also reports when requests come and go. It does not list models.
type Backend struct {
	Wire     modeltest.Wire
	URL      string
	Arrived  chan struct{} // one for each request, as it comes
	Finished chan struct{} // one for each request, when its answer is all sent

	front   *httptest.Server
	handler http.Handler
	taken   io.Closer // keeps the port while nothing listens there
}

// NewBackend answers a request with what pick chooses by its body.
func NewBackend(t testing.TB, wire modeltest.Wire, pick func(body []byte) http.Handler) *Backend {
	t.Helper()
	b := &Backend{Wire: wire, Arrived: make(chan struct{}, manyRequests), Finished: make(chan struct{}, manyRequests)}
	b.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a list of models, which it has not
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone before it had said all
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		notify(b.Arrived)
		pick(body).ServeHTTP(w, r)
		notify(b.Finished)
	})
	b.front = serve(t, "127.0.0.1:0", b.handler)
	b.URL = b.front.URL
	return b
}

// notify sends an event, and drops it if the channel is full.
func notify(events chan<- struct{}) {
	select {
	case events <- struct{}{}:
	default:
	}
}

// serve returns a server at an address, until the test ends.
func serve(t testing.TB, address string, handler http.Handler) *httptest.Server {
	t.Helper()
	l, err := (&net.ListenConfig{Control: shared}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler, ReadHeaderTimeout: Patience}}
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// Settings returns the model's name and the environment that make this backend a program's model.
func (b *Backend) Settings() (model string, env []string) { return Settings(b.Wire, b.URL) }

// Settings returns what makes the server at url a program's model.
func Settings(wire modeltest.Wire, url string) (model string, env []string) {
	base := wire.BaseURL(url)
	switch wire {
	case modeltest.Anthropic:
		return "anthropic/" + modeltest.Model, []string{"ANTHROPIC_API_KEY=" + Key, "ANTHROPIC_BASE_URL=" + base}
	case modeltest.OpenAIResponses:
		return "openai/" + modeltest.Model, []string{"OPENAI_API_KEY=" + Key, "OPENAI_BASE_URL=" + base, "PARLEY_OPENAI_API=responses"}
	default:
		return "openai/" + modeltest.Model, []string{"OPENAI_API_KEY=" + Key, "OPENAI_BASE_URL=" + base}
	}
}
