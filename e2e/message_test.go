package e2e

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A message is any line of the ScaiFlux protocol; each type has its own fields. That they
// are exactly the right ones is for the transcripts to test.
type message struct {
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
	raw          string
}

// messages is a part of what the server said.
type messages []message

func (ms messages) last() message { return ms[len(ms)-1] }

// text returns what the deltas say.
func (ms messages) text() string {
	var b strings.Builder
	for _, m := range ms {
		if m.Type == "text_delta" {
			b.WriteString(m.Delta)
		}
	}
	return b.String()
}

// of returns the messages of one type.
func (ms messages) of(kind string) messages {
	return slices.DeleteFunc(slices.Clone(ms), func(m message) bool { return m.Type != kind })
}

// types returns what came, in order, with repetitions of a type as one.
func (ms messages) types() string {
	var types []string
	for _, m := range ms {
		types = append(types, m.Type)
	}
	return strings.Join(slices.Compact(types), " ")
}

// next returns the next message; false at the end of the output.
func (s *server) next() (message, bool) {
	s.t.Helper()
	if err := s.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	line, err := s.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		return message{}, false
	}
	if err != nil {
		s.t.Fatalf("read: %v behind %q", err, line)
	}
	m := message{raw: strings.TrimSuffix(line, "\n")}
	if err := json.Unmarshal([]byte(m.raw), &m); err != nil {
		s.t.Fatalf("%v: %s", err, m.raw)
	}
	return m, true
}

// until reads up to the first message of a type, which must come.
func (s *server) until(kind string) messages {
	s.t.Helper()
	var all messages
	for {
		m, ok := s.next()
		if !ok {
			s.t.Fatalf("the output ended before %s; there was %s", kind, all.types())
		}
		all = append(all, m)
		if m.Type == kind {
			return all
		}
	}
}

// want returns the next message, which must be of a type.
func (s *server) want(kind string) message {
	s.t.Helper()
	m, ok := s.next()
	if !ok || m.Type != kind {
		s.t.Fatalf("want %s, got %s", kind, m.raw)
	}
	return m
}

// turn reads to the end of the turn and allows whatever is asked.
func (s *server) turn() messages {
	s.t.Helper()
	var all messages
	for len(all) == 0 || all.last().Type != "turn_complete" {
		m, ok := s.next()
		if !ok {
			s.t.Fatalf("the output ended in a turn; there was %s", all.types())
		}
		all = append(all, m)
		if m.Type == "permission_request" {
			s.answer(m, "allow")
		}
	}
	return all
}

// wantCompleted is turn, for one that ends well.
func (s *server) wantCompleted() messages {
	s.t.Helper()
	all := s.turn()
	if end := all.last(); end.StopReason != "end_turn" {
		s.t.Fatalf("the turn ended: %s", end.raw)
	}
	return all
}

func contains(list []string, item string) bool { return slices.Contains(list, item) }

// decode reads the data of a slash_result.
func (m message) decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(m.Data, into); err != nil {
		t.Fatalf("%v: %s", err, m.raw)
	}
}
