package client

import (
	"fmt"
	"maps"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// A Pisces is a client of a server of the family: "parley pisces --mode rpc", or an original.
type Pisces struct {
	Reader[PiscesLine]
	requests int
}

// A PiscesLine is any line that a server of the family writes.
type PiscesLine struct {
	Type     string         `json:"type"`
	ID       string         `json:"id"`
	Command  string         `json:"command"`
	Success  bool           `json:"success"`
	Error    any            `json:"error"` // a text, but of a prompt_result
	Data     jsontext.Value `json:"data"`
	CallID   string         `json:"toolCallId"`
	Messages []struct {
		StopReason string `json:"stopReason"`
	} `json:"messages"`
	Event struct {
		Type  string `json:"type"`
		Delta string `json:"delta"`
	} `json:"assistantMessageEvent"`
	Raw string `json:"-"`
}

// ReadPisces returns a line of the protocol. Originals repeat members of objects.
func ReadPisces(text string) (line PiscesLine, err error) {
	line.Raw = text
	return line, json.Unmarshal([]byte(text), &line, jsontext.AllowDuplicateNames(true))
}

// NewPisces returns a client that speaks over c.
func NewPisces(c *Conn) *Pisces { return &Pisces{Reader: Reader[PiscesLine]{c, ReadPisces}} }

// StartPisces starts the program and reads that it is ready.
func StartPisces(t testing.TB, p *stage.Place, args ...string) *Pisces {
	t.Helper()
	s := NewPisces(Start(t, p.Command(t, append([]string{"pisces", "--mode", "rpc"}, args...)...)))
	if l := s.Must(); l.Type != "ready" {
		t.Fatalf("the first line is %s", l.Raw)
	}
	return s
}

// Must returns the next line, which must come.
func (s *Pisces) Must() PiscesLine {
	s.T.Helper()
	l, ok := s.Next()
	if !ok {
		s.T.Fatalf("the output ended\n%s", s.Stderr)
	}
	return l
}

// Until reads up to a line of a type.
func (s *Pisces) Until(kind string) PiscesLine {
	s.T.Helper()
	for {
		if l := s.Must(); l.Type == kind {
			return l
		}
	}
}

// Request sends a command and reads its answer into data, if that is not nil; lines before it are ignored.
func (s *Pisces) Request(kind string, fields map[string]any, data any) {
	s.T.Helper()
	s.requests++
	command := map[string]any{"type": kind, "id": fmt.Sprint("a", s.requests)}
	maps.Copy(command, fields)
	s.Send(command)
	l := s.Until("response")
	for l.ID != command["id"] && l.Success {
		l = s.Until("response")
	}
	if !l.Success {
		s.T.Fatalf("%s: %s", kind, l.Raw)
	}
	if data == nil {
		return
	}
	if err := json.Unmarshal(l.Data, data); err != nil {
		s.T.Fatalf("%v: %s", err, l.Raw)
	}
}

// Prompt starts a run.
func (s *Pisces) Prompt(text string) {
	s.T.Helper()
	s.Request("prompt", map[string]any{"message": text}, nil)
}

// Turn prompts, and reads to the end of the run.
func (s *Pisces) Turn(text string) {
	s.T.Helper()
	s.Prompt(text)
	s.Until("agent_end")
}

// A PiscesState is what tests read of get_state.
type PiscesState struct {
	SessionFile  string `json:"sessionFile"`
	SessionID    string `json:"sessionId"`
	SessionName  string `json:"sessionName"`
	MessageCount int    `json:"messageCount"`
	IsStreaming  bool   `json:"isStreaming"`
}

// State returns the state of the session.
func (s *Pisces) State() (state PiscesState) {
	s.T.Helper()
	s.Request("get_state", nil, &state)
	return state
}

// Context returns the messages of the context.
func (s *Pisces) Context() []map[string]any {
	s.T.Helper()
	var data struct {
		Messages []map[string]any `json:"messages"`
	}
	s.Request("get_messages", nil, &data)
	return data.Messages
}

// A Point is a place to branch at.
type Point struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

// Points requests them by the command of one or the other original.
func (s *Pisces) Points(command string) []Point {
	s.T.Helper()
	var data struct {
		Messages []Point `json:"messages"`
	}
	s.Request(command, nil, &data)
	return data.Messages
}

// Leave closes the input and reads the rest.
func (s *Pisces) Leave() {
	s.T.Helper()
	s.Quit()
}
