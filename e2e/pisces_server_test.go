package e2e

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/transcript"
)

// A piscesLine is any line that a server of the family writes.
type piscesLine struct {
	Type    string         `json:"type"`
	ID      string         `json:"id"`
	Command string         `json:"command"`
	Success bool           `json:"success"`
	Error   any            `json:"error"` // a text, but of a prompt_result
	Data    jsontext.Value `json:"data"`
	raw     string
}

// A pisces is a running server of the family, ours or an original; the test is its client.
type pisces struct {
	*server
	asked int
}

// pisces starts "parley pisces --mode rpc" in this place.
func (p *place) pisces(t testing.TB, args ...string) *pisces {
	t.Helper()
	cmd := exec.Command(transcript.Build(t), append([]string{"pisces", "--mode", "rpc"}, args...)...)
	cmd.Dir = p.work
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8"}, p.env...)
	if p.model != "" {
		cmd.Env = append(cmd.Env, "PARLEY_MODEL="+p.model)
	}
	s := &pisces{server: launch(t, cmd)}
	if l := s.line(); l.Type != "ready" {
		t.Fatalf("the first line is %s", l.raw)
	}
	return s
}

// line returns the next line, which must come.
func (s *pisces) line() piscesLine {
	s.t.Helper()
	if err := s.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	text, err := s.lines.ReadString('\n')
	if err != nil {
		s.t.Fatalf("after %q: %v\n%s", text, err, s.stderr)
	}
	l := piscesLine{raw: text}
	// Originals repeat what they like.
	if err := json.Unmarshal([]byte(text), &l, jsontext.AllowDuplicateNames(true)); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return l
}

// until reads up to a line of a type.
func (s *pisces) until(kind string) piscesLine {
	s.t.Helper()
	for {
		if l := s.line(); l.Type == kind {
			return l
		}
	}
}

// ask sends a command and reads its answer into data, if that is not nil; what else comes
// before it is not looked at.
func (s *pisces) ask(kind string, fields map[string]any, data any) {
	s.t.Helper()
	s.asked++
	command := map[string]any{"type": kind, "id": fmt.Sprint("a", s.asked)}
	maps.Copy(command, fields)
	s.send(command)
	for {
		l := s.line()
		if l.Type != "response" || l.ID != command["id"] && l.Success {
			continue
		}
		if !l.Success {
			s.t.Fatalf("%s: %s", kind, l.raw)
		}
		if data != nil {
			if err := json.Unmarshal(l.Data, data); err != nil {
				s.t.Fatalf("%v: %s", err, l.raw)
			}
		}
		return
	}
}

// turn prompts, and reads to the end of the run.
func (s *pisces) turn(text string) {
	s.t.Helper()
	s.ask("prompt", map[string]any{"message": text}, nil)
	s.until("agent_end")
}

// A piscesState is what tests read of get_state.
type piscesState struct {
	SessionFile  string `json:"sessionFile"`
	SessionID    string `json:"sessionId"`
	SessionName  string `json:"sessionName"`
	MessageCount int    `json:"messageCount"`
	IsStreaming  bool   `json:"isStreaming"`
}

func (s *pisces) state() piscesState {
	s.t.Helper()
	var state piscesState
	s.ask("get_state", nil, &state)
	return state
}

// messages returns the context.
func (s *pisces) messages() []map[string]any {
	s.t.Helper()
	var data struct {
		Messages []map[string]any `json:"messages"`
	}
	s.ask("get_messages", nil, &data)
	return data.Messages
}

// A point is a place to branch at.
type point struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

// points asks for them by the command of one or the other original.
func (s *pisces) points(command string) []point {
	s.t.Helper()
	var data struct {
		Messages []point `json:"messages"`
	}
	s.ask(command, nil, &data)
	return data.Messages
}

// leave closes the input and reads the rest.
func (s *pisces) leave() {
	s.t.Helper()
	s.stdin.Close()
	for {
		if err := s.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
			s.t.Fatal(err)
		}
		if _, err := s.lines.ReadString('\n'); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			s.t.Fatal(err)
		}
	}
	if code := s.code(); code != 0 {
		s.t.Fatalf("exit code %d\n%s", code, s.stderr)
	}
}
