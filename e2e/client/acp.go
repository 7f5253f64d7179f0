package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// An ACP is a client of "parley acp".
type ACP struct {
	Reader[ACPLine]
	requests int
}

// An ACPLine is any line of the Agent Client Protocol. That lines are exactly right is checked by the transcripts.
type ACPLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		SessionID string    `json:"sessionId"`
		Update    ACPUpdate `json:"update"`
		ToolCall  ACPUpdate `json:"toolCall"`
		Path      string    `json:"path"`
	} `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Kind string `json:"kind"`
		} `json:"data"`
	} `json:"error"`
	Raw string `json:"-"`
}

// An ACPUpdate is an update of a session.
type ACPUpdate struct {
	Kind       string         `json:"sessionUpdate"`
	Content    jsontext.Value `json:"content"` // of a message an object, of a call an array
	ToolCallID string         `json:"toolCallId"`
	Status     string         `json:"status"`
	RawOutput  struct {
		Text string `json:"text"`
	} `json:"rawOutput"`
}

// Text returns the text of a piece of a message.
func (u ACPUpdate) Text() string {
	var content struct {
		Text string `json:"text"`
	}
	if u.Content.Kind() == '{' {
		_ = json.Unmarshal(u.Content, &content) // what has no text has none
	}
	return content.Text
}

// ReadACP returns a line of the protocol.
func ReadACP(text string) (line ACPLine, err error) {
	line.Raw = text
	return line, json.Unmarshal([]byte(text), &line)
}

// NewACP returns a client that speaks over c.
func NewACP(c *Conn) *ACP { return &ACP{Reader: Reader[ACPLine]{c, ReadACP}} }

// StartACP starts the program and initializes it.
func StartACP(t testing.TB, p *stage.Place, args ...string) *ACP {
	t.Helper()
	a := NewACP(Start(t, p.Command(t, append([]string{"acp"}, args...)...)))
	a.Call("initialize", `{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"e2e","version":"1"}}`)
	return a
}

// Request sends a request and reads up to its answer.
func (a *ACP) Request(method, params string) ACPLine {
	a.T.Helper()
	id := a.Ask(method, params)
	all := a.ReadTo("the answer to "+method, func(l ACPLine) bool { return l.Method == "" && string(l.ID) == id })
	return all[len(all)-1]
}

// Ask sends a request and returns its id.
func (a *ACP) Ask(method, params string) (id string) {
	a.T.Helper()
	a.requests++
	id = fmt.Sprint(a.requests)
	a.SendText(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params))
	return id
}

// Call is Request for what must succeed.
func (a *ACP) Call(method, params string) jsontext.Value {
	a.T.Helper()
	line := a.Request(method, params)
	if line.Error != nil {
		a.T.Fatalf("%s %s: %s", method, params, line.Raw)
	}
	return line.Result
}

// NewSession makes a session and returns its id.
func (a *ACP) NewSession(dir string) string {
	a.T.Helper()
	var r struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(a.Call("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, dir)), &r); err != nil {
		a.T.Fatal(err)
	}
	return r.SessionID
}

// Begin starts a turn and returns the id of the prompt.
func (a *ACP) Begin(session, text string) (id string) {
	a.T.Helper()
	return a.Ask("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text))
}

// Allow allows the call of a request.
func (a *ACP) Allow(line ACPLine) {
	a.T.Helper()
	a.SendText(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`+"\n", line.ID))
}

// Work runs a whole turn, allows every call, and returns what came, the answer to the prompt last.
func (a *ACP) Work(session, text string) []ACPLine {
	a.T.Helper()
	id := a.Begin(session, text)
	return a.ReadTo("the end of the turn", func(l ACPLine) bool {
		if l.Method == "session/request_permission" {
			a.Allow(l)
		}
		return l.Method == "" && string(l.ID) == id
	})
}

// ACPText returns the text of the model in lines.
func ACPText(all []ACPLine) string {
	var b strings.Builder
	for _, line := range all {
		if line.Params.Update.Kind == "agent_message_chunk" {
			b.WriteString(line.Params.Update.Text())
		}
	}
	return b.String()
}
