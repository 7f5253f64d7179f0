package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/model/modeltest"
)

// A backend is a scripted model server that also tells when requests come and go.
type backend struct {
	*modeltest.Server
	wire     modeltest.Wire
	arrived  chan struct{} // one for each request, as it comes
	finished chan struct{} // one for each request, when its answer is all sent
	url      string
}

const manyRequests = 64

func newBackend(t testing.TB, wire modeltest.Wire, script ...modeltest.Reply) *backend {
	t.Helper()
	b := &backend{
		Server: modeltest.NewServer(t, script...), wire: wire,
		arrived: make(chan struct{}, manyRequests), finished: make(chan struct{}, manyRequests),
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone before it had said all
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		b.arrived <- struct{}{}
		b.ServeHTTP(w, r)
		b.finished <- struct{}{}
	}))
	b.url = front.URL
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return b
}

// key is a secret that must not be seen anywhere but in the header of a request.
const key = "sk-do-not-show-this-1234567890"

// place is a fresh place whose model is this backend.
func (b *backend) place(t testing.TB) *place {
	t.Helper()
	p := newPlace(t)
	b.use(p)
	return p
}

// use makes this backend the model of p.
func (b *backend) use(p *place) {
	base := b.wire.BaseURL(b.url)
	switch b.wire {
	case modeltest.Anthropic:
		p.model, p.env = "anthropic/"+modeltest.Model, []string{"ANTHROPIC_API_KEY=" + key, "ANTHROPIC_BASE_URL=" + base}
	case modeltest.OpenAIResponses:
		p.model, p.env = "openai/"+modeltest.Model, []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + base, "PARLEY_OPENAI_API=responses"}
	default:
		p.model, p.env = "openai/"+modeltest.Model, []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + base}
	}
}

// await takes one event of a channel, which must come.
func await[T any](t testing.TB, events <-chan T, what string) T {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// chatMessage is a message of a Chat Completions request.
type chatMessage struct {
	Role, Text string
	Calls      []string // ids of the tool calls it asks for
	Result     string   // id of the tool call it answers
}

// chatMessages is the conversation that the n-th request carried.
func (b *backend) chatMessages(t testing.TB, n int) []chatMessage {
	t.Helper()
	requests := b.Requests()
	if n >= len(requests) {
		t.Fatalf("there were %d requests only", len(requests))
	}
	list, _ := requests[n].Body["messages"].([]any)
	var all []chatMessage
	for _, item := range list {
		m, _ := item.(map[string]any)
		c := chatMessage{Text: textOf(m["content"])}
		c.Role, _ = m["role"].(string)
		c.Result, _ = m["tool_call_id"].(string)
		calls, _ := m["tool_calls"].([]any)
		for _, call := range calls {
			id, _ := call.(map[string]any)["id"].(string)
			c.Calls = append(c.Calls, id)
		}
		all = append(all, c)
	}
	return all
}

// textOf is content that is a string, or parts of text.
func textOf(content any) string {
	if text, ok := content.(string); ok {
		return text
	}
	var b strings.Builder
	parts, _ := content.([]any)
	for _, part := range parts {
		text, _ := part.(map[string]any)["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}

// checkPaired wants each call answered exactly once, directly behind the message that
// asks for it, and nothing answered that was not asked for.
func checkPaired(t testing.TB, conversation []chatMessage) {
	t.Helper()
	var open []string
	for _, m := range conversation {
		if m.Role == "tool" {
			if len(open) == 0 || open[0] != m.Result {
				t.Fatalf("a result for %q, open are %q", m.Result, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			t.Fatalf("calls without a result: %q", open)
		}
		open = m.Calls
	}
	if len(open) > 0 {
		t.Fatalf("calls without a result: %q", open)
	}
}

// wantNoKey searches every file below the folders for the key.
func wantNoKey(t testing.TB, folders ...string) {
	t.Helper()
	files := 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			files++
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), key) {
				t.Errorf("%s holds the key", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Error("there is no file to search")
	}
}
