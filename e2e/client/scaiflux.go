package client

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// A ScaiFlux is a client of "parley scaiflux serve".
type ScaiFlux struct {
	Reader[Message]
	Ready Message
}

// A Message is any line of the ScaiFlux protocol; each type has its own fields. That they are exactly the right ones
// is checked by the transcripts.
type Message struct {
	Type         string         `json:"type"`
	SessionID    string         `json:"session_id"`
	Model        string         `json:"model"`
	TurnID       string         `json:"turn_id"`
	Delta        string         `json:"delta"`
	ToolID       string         `json:"tool_id"`
	Name         string         `json:"name"`
	Output       string         `json:"output"`
	IsError      bool           `json:"is_error"`
	RequestID    string         `json:"request_id"`
	StopReason   string         `json:"stop_reason"`
	Iterations   int            `json:"iterations"`
	InputTokens  int            `json:"input_tokens"`
	OutputTokens int            `json:"output_tokens"`
	Command      string         `json:"command"`
	Text         string         `json:"text"`
	Data         jsontext.Value `json:"data"`
	Code         string         `json:"code"`
	Message      string         `json:"message"`
	Raw          string         `json:"-"`
}

// ReadScaiFlux returns a line of the protocol.
func ReadScaiFlux(line string) (m Message, err error) {
	m.Raw = line
	return m, json.Unmarshal([]byte(line), &m)
}

// Decode reads the data of a slash_result.
func (m Message) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(m.Data, into); err != nil {
		t.Fatalf("%v: %s", err, m.Raw)
	}
}

// Messages are lines in their order.
type Messages []Message

// Last returns the last of them.
func (ms Messages) Last() Message { return ms[len(ms)-1] }

// Text returns the text of the deltas.
func (ms Messages) Text() string {
	var b strings.Builder
	for _, m := range ms.Of("text_delta") {
		b.WriteString(m.Delta)
	}
	return b.String()
}

// Of returns the messages of one type.
func (ms Messages) Of(kind string) Messages {
	return slices.DeleteFunc(slices.Clone(ms), func(m Message) bool { return m.Type != kind })
}

// Types returns the types in order, with repetitions of a type as one.
func (ms Messages) Types() string {
	var types []string
	for _, m := range ms {
		types = append(types, m.Type)
	}
	return strings.Join(slices.Compact(types), " ")
}

// NewScaiFlux returns a client that speaks over c.
func NewScaiFlux(c *Conn) *ScaiFlux { return &ScaiFlux{Reader: Reader[Message]{c, ReadScaiFlux}} }

// StartScaiFlux starts the program and reads its ready.
func StartScaiFlux(t testing.TB, p *stage.Place, args ...string) *ScaiFlux {
	t.Helper()
	s := NewScaiFlux(Start(t, p.Command(t, append([]string{"scaiflux", "serve"}, args...)...)))
	s.Ready = s.Want("ready")
	return s
}

// Prompt starts a turn.
func (s *ScaiFlux) Prompt(text string) {
	s.T.Helper()
	s.Send(map[string]string{"type": "prompt", "text": text})
}

// Answer decides about the call of a permission_request.
func (s *ScaiFlux) Answer(request Message, decision string) {
	s.T.Helper()
	s.Send(map[string]string{"type": "permission_response", "request_id": request.RequestID, "decision": decision})
}

// Interrupt ends the turn.
func (s *ScaiFlux) Interrupt() {
	s.T.Helper()
	s.Send(map[string]string{"type": "interrupt"})
}

// Slash runs a command and returns its result.
func (s *ScaiFlux) Slash(command, args string) Message {
	s.T.Helper()
	s.Send(map[string]string{"type": "slash", "command": command, "args": args})
	return s.Until("slash_result").Last()
}

// Until reads up to the first message of a type.
func (s *ScaiFlux) Until(kind string) Messages {
	s.T.Helper()
	return s.ReadTo(kind, func(m Message) bool { return m.Type == kind })
}

// Want returns the next message, which must be of a type.
func (s *ScaiFlux) Want(kind string) Message {
	s.T.Helper()
	m, ok := s.Next()
	if !ok || m.Type != kind {
		s.T.Fatalf("want %s, got %s", kind, m.Raw)
	}
	return m
}

// Turn reads to the end of the turn and allows every call.
func (s *ScaiFlux) Turn() Messages {
	s.T.Helper()
	return s.ReadTo("the end of the turn", func(m Message) bool {
		if m.Type == "permission_request" {
			s.Answer(m, "allow")
		}
		return m.Type == "turn_complete"
	})
}

// WantCompleted is Turn, for one that must end well.
func (s *ScaiFlux) WantCompleted() Messages {
	s.T.Helper()
	all := s.Turn()
	if end := all.Last(); end.StopReason != "end_turn" {
		s.T.Fatalf("the turn ended: %s", end.Raw)
	}
	return all
}

// Exit closes the input, wants no further message but those of the types named, and returns the exit code.
func (s *ScaiFlux) Exit(allowed ...string) int {
	s.T.Helper()
	s.Stdin.Close()
	return s.End(allowed...)
}

// End reads to the end of the output, as Exit does.
func (s *ScaiFlux) End(allowed ...string) int {
	s.T.Helper()
	all, code := s.Rest()
	for _, m := range all {
		if !slices.Contains(allowed, m.Type) {
			s.T.Fatalf("unexpected at the end: %s", m.Raw)
		}
	}
	return code
}
