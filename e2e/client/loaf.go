package client

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// A Loaf is a client of "parley loaf rpc".
type Loaf struct {
	Reader[LoafLine]
	Requests int // ids of requests that were used
}

// A LoafLine is any line of the loaf protocol. That lines are exactly right is checked by the transcripts.
type LoafLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params LoafEvent      `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Reason string `json:"reason"`
		} `json:"data"`
	} `json:"error"`
	Raw string `json:"-"`
}

// A LoafEvent is what tests read of events.
type LoafEvent struct {
	SessionID       string `json:"session_id"`
	Pending         bool   `json:"pending"`
	Label           string `json:"status_label"`
	Text            string `json:"message"` // of an error or a failed sign-in; that of an appended message is not read
	URL             string `json:"url"`
	VerificationURL string `json:"verification_url"`
	UserCode        string `json:"user_code"`
	AccountID       string `json:"account_id"`
	Chunk           struct {
		AnswerText string `json:"answerText"`
	} `json:"chunk"`
	Data struct {
		CallID string `json:"call_id"`
	} `json:"data"`
}

// ReadLoaf returns a line of the protocol.
func ReadLoaf(text string) (line LoafLine, err error) {
	line.Raw = text
	err = json.Unmarshal([]byte(text), &line)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok && strings.HasSuffix(string(wrong.JSONPointer), "/message") {
		err = nil // of an appended message, which is an object
	}
	return line, err
}

// StartLoaf starts the program.
func StartLoaf(t testing.TB, p *stage.Place) *Loaf {
	t.Helper()
	return &Loaf{Reader: Reader[LoafLine]{Start(t, p.Command(t, "loaf", "rpc")), ReadLoaf}}
}

// UntilEvent returns the first event of that name.
func (l *Loaf) UntilEvent(name string) LoafLine {
	l.T.Helper()
	all := l.ReadTo(name, func(line LoafLine) bool { return line.Method == name })
	return all[len(all)-1]
}

// Request sends a request and returns its id.
func (l *Loaf) Request(method string, params any) string {
	l.T.Helper()
	l.Requests++
	l.Send(map[string]any{"jsonrpc": "2.0", "id": l.Requests, "method": method, "params": params})
	return fmt.Sprint(l.Requests)
}

// Call sends a request and reads up to its response.
func (l *Loaf) Call(method string, params any) LoafLine {
	l.T.Helper()
	id := l.Request(method, params)
	all := l.ReadTo("the answer to "+method, func(line LoafLine) bool { return string(line.ID) == id })
	return all[len(all)-1]
}

// Result reads the result of a request, which must succeed, into a value, if that is not nil.
func (l *Loaf) Result(into any, method string, params any) {
	l.T.Helper()
	line := l.Call(method, params)
	if line.Error != nil {
		l.T.Fatalf("%s: %s", method, line.Raw)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(line.Result, into); err != nil {
		l.T.Fatalf("%s: %v", method, err)
	}
}

// Create makes a session and returns its id.
func (l *Loaf) Create() string {
	l.T.Helper()
	var r struct {
		SessionID string `json:"session_id"`
	}
	l.Result(&r, "session.create", map[string]any{})
	return r.SessionID
}

// Say starts a turn.
func (l *Loaf) Say(session, text string, images ...map[string]string) {
	l.T.Helper()
	l.Result(nil, "session.send", map[string]any{"session_id": session, "text": text, "images": images})
}

// Turn reads to the end of the turn.
func (l *Loaf) Turn() []LoafLine {
	l.T.Helper()
	return l.ReadTo("the end of the turn", func(line LoafLine) bool { return line.Method == "session.status" && !line.Params.Pending })
}

// WantEnd reads to the end of the output; the exit code must be 0 and standard error empty.
func (l *Loaf) WantEnd() []LoafLine {
	l.T.Helper()
	all, code := l.Rest()
	if code != 0 || l.Stderr.String() != "" {
		l.T.Errorf("exit code %d; standard error has %q", code, l.Stderr)
	}
	return all
}

// Leave closes the input and is then WantEnd.
func (l *Loaf) Leave() []LoafLine {
	l.T.Helper()
	l.Stdin.Close()
	return l.WantEnd()
}

// LoafText returns the text of chunks.
func LoafText(lines []LoafLine) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.Params.Chunk.AnswerText)
	}
	return b.String()
}

// LoafHas reports whether a line of that event holds the text.
func LoafHas(lines []LoafLine, event, text string) bool {
	for _, line := range lines {
		if line.Method == event && strings.Contains(line.Raw, text) {
			return true
		}
	}
	return false
}
