package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// mustJSON returns the JSON form of a value.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return data
}

// A testModel is an endpoint of the chat wire. What it answers to a prompt depends on the first word of its text:
//
//	think KEY      nothing, until KEY is released
//	write KEY      some words, and the rest when KEY is released
//	arguments KEY  the beginning of a call, and the rest when KEY is released
//	shell TEXT     a call of the tool shell with that command
//	ask            a call of the tool ask
//	reject KEY     an error that is final, when KEY is released
//	fail           an error, after which the next try comes later
//	late-summary KEY.  "Done."; but a request for a summary of a session that contains it waits until KEY is released
//
// Anything else, and the result of a call, is answered with "Done.".
type testModel struct {
	server *httptest.Server
	over   chan struct{} // closed: everything is released

	mu   sync.Mutex
	keys map[string]chan struct{}
}

func newTestModel(t testing.TB) *testModel {
	m := &testModel{over: make(chan struct{}), keys: map[string]chan struct{}{}}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		close(m.over)
		m.server.CloseClientConnections()
		m.server.Close()
	})
	return m
}

// key returns what is closed when a key is released.
func (m *testModel) key(name string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys[name] == nil {
		m.keys[name] = make(chan struct{})
	}
	return m.keys[name]
}

// release lets the answers go on that wait for a key. Call it once.
func (m *testModel) release(name string) { close(m.key(name)) }

// wait waits until a key is released, or the request is over.
func (m *testModel) wait(r *http.Request, key string) {
	select {
	case <-m.key(key):
	case <-m.over:
	case <-r.Context().Done():
	}
}

// summaryVerb begins a prompt after which a summary waits.
const summaryVerb = "late-summary "

// A chatRequest is what a testModel reads of a request.
type chatRequest struct {
	Messages []struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// last returns the role and the text of the last message.
func (r chatRequest) last() (role, content string) {
	if len(r.Messages) == 0 {
		return "", ""
	}
	m := r.Messages[len(r.Messages)-1]
	var plain string
	if json.Unmarshal(m.Content, &plain) == nil {
		return m.Role, plain
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		plain += p.Text
	}
	return m.Role, plain
}

// tool returns the name of a tool of the request that contains one of the words.
func (r chatRequest) tool(words ...string) string {
	for _, word := range words {
		for _, t := range r.Tools {
			if strings.Contains(strings.ToLower(t.Function.Name), word) {
				return t.Function.Name
			}
		}
	}
	return words[0]
}

func (m *testModel) serve(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	if err := json.UnmarshalRead(r.Body, &req); err != nil { // another path
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	role, content := req.last()
	verb, rest, _ := strings.Cut(content, " ")
	if role == "tool" {
		verb = ""
	}
	if verb == "fail" {
		w.Header().Set("Retry-After", "55")
		http.Error(w, `{"error":{"message":"busy"}}`, http.StatusTooManyRequests)
		return
	}
	if verb == "reject" {
		m.wait(r, rest)
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"test","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	call := func(name, arguments string) {
		chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%s}}]}`, len(req.Messages), name, mustJSON(arguments)), "null")
	}
	wait := func(key string) { m.wait(r, key) }
	chunk(`{"role":"assistant","content":null}`, "null")
	finish, all := `"stop"`, string(mustJSON(req.Messages))
	switch {
	case verb == "think":
		wait(rest)
		chunk(`{"content":"Done."}`, "null")
	case verb == "write":
		chunk(`{"content":"Half "}`, "null")
		wait(rest)
		chunk(`{"content":"done."}`, "null")
	case verb == "arguments":
		call(req.tool("shell", "bash", "exec"), `{"command":`)
		wait(rest)
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"true\"}"}}]}`, "null")
		finish = `"tool_calls"`
	case verb == "shell":
		call(req.tool("shell", "bash", "exec"), string(mustJSON(map[string]string{"command": rest})))
		finish = `"tool_calls"`
	case verb == "ask":
		call(req.tool("ask"), `{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}`)
		finish = `"tool_calls"`
	case verb+" " != summaryVerb && strings.Contains(all, summaryVerb):
		_, rest, _ := strings.Cut(all, summaryVerb)
		key, _, _ := strings.Cut(rest, ".")
		wait(key)
		chunk(`{"content":"A summary."}`, "null")
	default:
		chunk(`{"content":"Done."}`, "null")
	}
	chunk(`{}`, finish)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
