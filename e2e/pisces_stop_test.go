package e2e

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// piscesRunning returns a server whose command is under way, in the first run of its session.
func piscesRunning(t *testing.T, command string) (*place, *client.Pisces, *stage.Held) {
	t.Helper()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Let me see. "), modeltest.Call("a", "bash", `{"command":"`+command+`"}`)))
	p := b.place(t)
	h := stage.Holding(t, p.Work)
	s := p.pisces(t)
	s.Prompt("work")
	h.Started()
	return p, s, h
}

// TestPiscesEndsInTool: in each way to end the process while a command runs, it ends
// soon, nothing of the command is left, the end of the run is sent, and the next process
// finds it.
func TestPiscesEndsInTool(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		ask  func(*client.Pisces)
		code int
	}{
		"EOF":  {func(s *client.Pisces) { s.Stdin.Close() }, 0},
		"TERM": {func(s *client.Pisces) { s.Signal(syscall.SIGTERM) }, 143},
		"INT":  {func(s *client.Pisces) { s.Signal(syscall.SIGINT) }, 130},
		"HUP":  {func(s *client.Pisces) { s.Signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s, h := piscesRunning(t, stage.Family)
			begin := time.Now()
			end.ask(s)
			lines, code := s.Rest()
			if code != end.code {
				t.Errorf("exit code %d", code)
			}
			t.Logf("it took %s", time.Since(begin).Round(time.Millisecond))
			h.WantGone()
			ended := slices.IndexFunc(lines, func(l client.PiscesLine) bool { return l.Type == "agent_end" })
			if ended < 0 || !strings.Contains(lines[ended].Raw, "[Command cancelled]") || lines[len(lines)-1].Type != "session_settled" {
				t.Errorf("the end of the run was not sent: %v", lines)
			}
			next := p.pisces(t, "--continue")
			got := strings.Join(piscesTexts(next.Context()), "\n")
			if got != "user: work\nassistant: Let me see. \ntoolResult: [Command cancelled]\n\nassistant: " {
				t.Errorf("the messages are\n%s", got)
			}
			next.Leave()
		})
	}
}

// TestPiscesStubbornTool: a command that does not want to end is killed.
func TestPiscesStubbornTool(t *testing.T) {
	t.Parallel()
	_, s, h := piscesRunning(t, stage.Stubborn)
	s.Stdin.Close()
	h.Asked()
	if _, code := s.Rest(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	h.WantGone()
}

// TestPiscesOutputGone: a client that stops reading is treated like the end of input, not as a failure.
func TestPiscesOutputGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half.")))
	p := b.place(t)
	s := p.pisces(t)
	s.Prompt("go on")
	s.Until("message_update")
	s.Stdout.Close()
	close(gone)
	if code := s.Code(); code != 0 || s.Stderr.String() != "" {
		t.Errorf("exit code %d, standard error %q", code, s.Stderr)
	}
	next := p.pisces(t, "--continue")
	if got := strings.Join(piscesTexts(next.Context()), "\n"); !strings.HasPrefix(got, "user: go on\nassistant: Half") {
		t.Errorf("the messages are\n%s", got)
	}
	next.Leave()
}

// TestPiscesTwoProcesses: two processes go on with one session in turn, each with what the
// other said, and its file has every message once. While one works the other is refused.
func TestPiscesTwoProcesses(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	b := newBackend(
		t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("One.")), modeltest.Stream(modeltest.Text("Two.")), modeltest.Stream(modeltest.Text("Three.")),
		modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half.")), modeltest.Stream(modeltest.Text("Five.")),
	)
	p := b.place(t)
	s := p.pisces(t)
	s.Turn("one")
	state := s.State()
	other := p.pisces(t, "--session", state.SessionID)
	if other.State().SessionID != state.SessionID {
		t.Fatalf("another session: %+v", other.State())
	}
	other.Turn("two")
	s.Turn("three")

	s.Prompt("four")
	s.Until("message_update")
	for _, args := range [][]string{{"--continue"}, {"--session", state.SessionID}, {"--session", state.SessionFile}} {
		cmd := p.Command(t, append([]string{"pisces", "--mode", "rpc"}, args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || len(out) > 0 || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "in use") {
			t.Errorf("%v: %v, output %q, standard error %q", args, err, out, stderr.String())
		}
	}
	third := p.pisces(t)
	third.Send(map[string]string{"id": "x", "type": "switch_session", "sessionPath": state.SessionFile})
	if l := third.Until("response"); l.Success || !strings.Contains(fmt.Sprint(l.Error), "in use by process ") {
		t.Errorf("%s", l.Raw)
	}
	close(gone)
	s.Until("agent_end")
	third.Request("switch_session", map[string]any{"sessionPath": state.SessionFile}, nil)
	third.Turn("five")
	want := "user: one\nassistant: One.\nuser: two\nassistant: Two.\nuser: three\nassistant: Three.\nuser: four\nassistant: Half and half.\nuser: five\nassistant: Five."
	if got := strings.Join(piscesTexts(third.Context()), "\n"); got != want {
		t.Errorf("the messages are\n%s", got)
	}
	for _, c := range []*client.Pisces{other, s, third} {
		c.Leave()
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
