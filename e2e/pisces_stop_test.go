package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/internal/transcript"
)

// piscesRunning returns a server whose command is under way, in the first run of its session.
func piscesRunning(t *testing.T, command string) (*place, *pisces, *held) {
	t.Helper()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Let me see. "), modeltest.Call("a", "bash", `{"command":"`+command+`"}`)))
	p := b.place(t)
	h := holding(t, p)
	s := p.pisces(t)
	s.ask("prompt", map[string]any{"message": "work"}, nil)
	h.started()
	return p, s, h
}

// remaining returns all lines up to the end of the output.
func (s *pisces) remaining() (all []piscesLine) {
	s.t.Helper()
	for {
		if err := s.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
			s.t.Fatal(err)
		}
		switch _, err := s.lines.Peek(1); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			s.t.Fatal(err)
		}
		all = append(all, s.line())
	}
}

// TestPiscesEndsInTool: however the process is asked to end while a command runs, it ends
// soon, nothing of the command is left, the run is told to its end, and the next process
// finds it.
func TestPiscesEndsInTool(t *testing.T) {
	for name, end := range map[string]struct {
		ask  func(*pisces)
		code int
	}{
		"EOF":  {func(s *pisces) { s.stdin.Close() }, 0},
		"TERM": {func(s *pisces) { s.signal(syscall.SIGTERM) }, 143},
		"INT":  {func(s *pisces) { s.signal(syscall.SIGINT) }, 130},
		"HUP":  {func(s *pisces) { s.signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s, h := piscesRunning(t, family)
			begin := time.Now()
			end.ask(s)
			lines := s.remaining()
			if code := s.code(); code != end.code {
				t.Errorf("exit code %d", code)
			}
			t.Logf("it took %s", time.Since(begin).Round(time.Millisecond))
			h.wantGone()
			ended := slices.IndexFunc(lines, func(l piscesLine) bool { return l.Type == "agent_end" })
			if ended < 0 || !strings.Contains(lines[ended].raw, "[Command cancelled]") || lines[len(lines)-1].Type != "session_settled" {
				t.Errorf("the run was not told to its end: %v", lines)
			}
			next := p.pisces(t, "--continue")
			got := strings.Join(piscesTexts(next.messages()), "\n")
			if got != "user: work\nassistant: Let me see. \ntoolResult: [Command cancelled]\n\nassistant: " {
				t.Errorf("the messages are\n%s", got)
			}
			next.leave()
		})
	}
}

// TestPiscesStubbornTool: a command that does not want to end is killed, about as soon.
func TestPiscesStubbornTool(t *testing.T) {
	_, s, h := piscesRunning(t, stubborn)
	begin := time.Now()
	s.stdin.Close()
	h.asked()
	s.remaining()
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	h.wantGone()
}

// TestPiscesOutputGone: when nobody reads any more that is the end of input, and no failure.
func TestPiscesOutputGone(t *testing.T) {
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half.")))
	p := b.place(t)
	s := p.pisces(t)
	s.ask("prompt", map[string]any{"message": "go on"}, nil)
	s.until("message_update")
	s.stdout.Close()
	close(gone)
	if code := s.code(); code != 0 || s.stderr.String() != "" {
		t.Errorf("exit code %d, standard error %q", code, s.stderr)
	}
	next := p.pisces(t, "--continue")
	if got := strings.Join(piscesTexts(next.messages()), "\n"); !strings.HasPrefix(got, "user: go on\nassistant: Half") {
		t.Errorf("the messages are\n%s", got)
	}
	next.leave()
}

// TestPiscesTwoProcesses: two processes go on with one session in turn, each with what the
// other said, and its file has every message once. While one works the other is refused.
func TestPiscesTwoProcesses(t *testing.T) {
	gone := make(chan struct{})
	b := newBackend(
		t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("One.")), modeltest.Stream(modeltest.Text("Two.")), modeltest.Stream(modeltest.Text("Three.")),
		modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half.")), modeltest.Stream(modeltest.Text("Five.")),
	)
	p := b.place(t)
	s := p.pisces(t)
	s.turn("one")
	state := s.state()
	other := p.pisces(t, "--session", state.SessionID)
	if other.state().SessionID != state.SessionID {
		t.Fatalf("another session: %+v", other.state())
	}
	other.turn("two")
	s.turn("three")

	s.ask("prompt", map[string]any{"message": "four"}, nil)
	s.until("message_update")
	for _, args := range [][]string{{"--continue"}, {"--session", state.SessionID}, {"--session", state.SessionFile}} {
		cmd := exec.Command(transcript.Build(t), append([]string{"pisces", "--mode", "rpc"}, args...)...)
		cmd.Dir = p.work
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "PARLEY_MODEL=" + p.model}, p.env...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || len(out) > 0 || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "in use") {
			t.Errorf("%v: %v, output %q, standard error %q", args, err, out, stderr.String())
		}
	}
	third := p.pisces(t)
	third.send(map[string]string{"id": "x", "type": "switch_session", "sessionPath": state.SessionFile})
	if l := third.until("response"); l.Success || l.Error != "Failed to parse command: Another process is working on the session." {
		t.Errorf("%s", l.raw)
	}
	close(gone)
	s.until("agent_end")
	third.ask("switch_session", map[string]any{"sessionPath": state.SessionFile}, nil)
	third.turn("five")
	want := "user: one\nassistant: One.\nuser: two\nassistant: Two.\nuser: three\nassistant: Three.\nuser: four\nassistant: Half and half.\nuser: five\nassistant: Five."
	if got := strings.Join(piscesTexts(third.messages()), "\n"); got != want {
		t.Errorf("the messages are\n%s", got)
	}
	for _, c := range []*pisces{other, s, third} {
		c.leave()
	}
	data, err := os.ReadFile(state.SessionFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "One.", "two", "Two.", "three", "Three.", "four", "Half and half.", "five", "Five."} {
		if n := strings.Count(string(data), fmt.Sprintf(`"text":%q`, text)) + strings.Count(string(data), fmt.Sprintf(`"content":%q`, text)); n != 1 {
			t.Errorf("the file has %q %d times", text, n)
		}
	}
}
