package e2e

import (
	"net/http"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// A backend is a scripted model server that also reports when requests arrive and end.
type backend struct {
	*modeltest.Server
	wire     modeltest.Wire
	arrived  chan struct{} // one for each request, as it comes
	finished chan struct{} // one for each request, when its answer is all sent
	url      string
}

func newBackend(t testing.TB, wire modeltest.Wire, script ...modeltest.Reply) *backend {
	t.Helper()
	server := modeltest.NewServer(t, script...)
	front := stage.NewBackend(t, wire, func([]byte) http.Handler { return server })
	return &backend{Server: server, wire: wire, arrived: front.Arrived, finished: front.Finished, url: front.URL}
}

// key is a secret that must not be seen anywhere but in the header of a request.
const key = stage.Key

// place returns a fresh place whose model is this backend.
func (b *backend) place(t testing.TB) *place {
	t.Helper()
	p := newPlace(t)
	b.use(p)
	return p
}

// use makes this backend the model of p.
func (b *backend) use(p *place) { p.Model, p.Env = stage.Settings(b.wire, b.url) }

// chatMessages returns the conversation that the n-th request carried.
func (b *backend) chatMessages(t testing.TB, n int) []stage.Message {
	t.Helper()
	requests := b.Requests()
	if n >= len(requests) {
		t.Fatalf("there were %d requests only", len(requests))
	}
	return stage.Conversation(requests[n])
}

// wantNoKey searches every file below the folders for the key.
func wantNoKey(t testing.TB, folders ...string) {
	t.Helper()
	stage.EachFile(t, func(path string, data []byte) {
		if strings.Contains(string(data), key) {
			t.Errorf("%s holds the key", path)
		}
	}, folders...)
}
