package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// airRunning returns a process whose turn runs a command.
func airRunning(t *testing.T, command string, more ...modeltest.Reply) (*place, *air, *held) {
	t.Helper()
	p := toolBackend(t, command, more...).place(t)
	h := holding(t, p)
	a := p.air(t)
	a.say(1, "work")
	a.until("PermissionRequired")
	a.permit("a")
	h.started()
	return p, a, h
}

// TestAirSignals: a signal interrupts the turn, whose end is told, and ends the process and
// all that it started.
func TestAirSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, a, h := airRunning(t, family)
			a.signal(sig)
			if got := a.want("ToolCompleted"); got.Result != "[interrupted]" {
				t.Errorf("%s", got.raw)
			}
			a.want("System")
			a.want("Complete")
			if bye := a.want("System"); bye.Message != "Shutting down" || bye.SessionID != nil {
				t.Errorf("%s", bye.raw)
			}
			if rest, code := a.rest(); len(rest) > 0 || code != 0 {
				t.Errorf("exit code %d behind %d lines", code, len(rest))
			}
			h.wantGone()
		})
	}
}

// TestAirSecondSignal: who signals twice gets the end at once, and nothing is left.
func TestAirSecondSignal(t *testing.T) {
	t.Parallel()
	_, a, h := airRunning(t, stubborn)
	a.signal(syscall.SIGINT)
	h.asked()
	a.signal(syscall.SIGINT)
	go drain(a.stdout)
	if got := a.code(); got != 130 {
		t.Errorf("exit code %d", got)
	}
	h.wantGone()
}

// TestAirNeverAnswers: a client that never answers closes its input: the prompt is cancelled,
// the turn ends, and the process too.
func TestAirNeverAnswers(t *testing.T) {
	t.Parallel()
	p := toolBackend(t, "touch ran", modeltest.Stream(modeltest.Text("I could not ask."))).place(t)
	a := p.air(t)
	a.say(1, "work")
	a.until("PermissionRequired")
	a.stdin.Close()
	if got := a.want("ToolCompleted"); got.Result != "Permission request cancelled" {
		t.Errorf("%s", got.raw)
	}
	all, code := a.rest()
	if last := all[len(all)-1]; code != 0 || last.variant != "Complete" || textOfAir(all) != "I could not ask." {
		t.Errorf("exit code %d behind %s", code, last.raw)
	}
}

// TestAirClientKilled: the client is gone, with both ends, while one session runs a command
// and another asks. The process ends by itself, and nothing is left of the command.
func TestAirClientKilled(t *testing.T) {
	t.Parallel()
	_, a, h := airRunning(t, family,
		modeltest.Stream(modeltest.Call("b", "bash", `{"command":"touch ran"}`)), modeltest.Stream(modeltest.Text("I could not ask.")))
	a.sendText(`{"CreateSession":{}}` + "\n")
	a.until("CommandComplete")
	a.sendText(`{"session_id":2,"content":"ask","turn_id":{"role":"User","sequence":1}}` + "\n")
	a.until("PermissionRequired")
	a.stdin.Close()
	a.stdout.Close()
	if code := a.code(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	h.wantGone()
}

// TestAirReaderGone: when nobody reads any more the turn is interrupted, and the process ends
// with 1, though its input is open and a prompt waits.
func TestAirReaderGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half."), modeltest.Call("a", "bash", `{"command":"touch ran"}`)),
		modeltest.Stream(modeltest.Text("I could not ask.")))
	a := b.place(t).air(t)
	a.say(1, "go on")
	a.until("TextChunk")
	a.stdout.Close()
	close(gone)
	if code := a.code(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if lines := strings.Count(a.stderr.String(), "\n"); lines != 1 {
		t.Errorf("standard error has %d lines: %s", lines, a.stderr)
	}
}

// TestAirKill: after kill -9 in any phase of a turn nothing that it started is left, and the
// journal opens: another face of the program goes on with everything that was acknowledged.
func TestAirKill(t *testing.T) {
	for _, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := newBackend(t, modeltest.OpenAIChat, append([]modeltest.Reply{modeltest.Stream(modeltest.Text("Seven, noted."))}, c.script...)...)
			p := before.place(t)
			h := holding(t, p)
			a := p.air(t)
			a.say(1, "Remember the number 7.")
			a.until("Complete")
			await(t, before.arrived, "the first request")
			a.say(2, "Now work.")
			await(t, before.arrived, "the second request")
			switch c.name {
			case "streaming":
				a.until("TextChunk")
			case "approval pending":
				a.until("BatchPermissionRequired")
			case "tool running": // both calls of the batch are asked about together
				a.until("BatchPermissionRequired")
				a.sendText(`{"BatchPermissionResponse":{"batch_id":"batch-1","approved_requests":["a"]}}` + "\n")
				h.started()
			default:
				a.until("PermissionRequired")
				a.permit("a")
				a.until("ToolCompleted")
				await(t, before.arrived, "the request behind the tool call")
			}
			a.kill()
			if c.name == "tool running" {
				h.wantGone()
			}
			after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Still 7.")))
			after.use(p)
			s := p.serve(t, "--resume", "latest")
			s.prompt("Which number was it?")
			if got := s.wantCompleted().text(); got != "Still 7." {
				t.Errorf("the answer is %q", got)
			}
			if code := s.exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			conversation := after.chatMessages(t, 0)
			checkPaired(t, conversation)
			checkSaid(t, conversation, "Remember the number 7.", "Seven, noted.", "Now work.", "Which number was it?")
		})
	}
}

// TestAirLongLine: a line over 16 MiB is refused once and forgotten; one below it is understood.
func TestAirLongLine(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Hi.")))
	a := b.place(t).air(t)
	sent := make(chan struct{})
	go func() { // a pipe holds less than a line
		defer close(sent)
		a.sendText(`{"session_id":1,"content":"` + strings.Repeat("y", 16<<20) + `","turn_id":{"role":"User","sequence":1}}` + "\n")
		a.sendText(`{"session_id":1,"content":"hello","turn_id":{"role":"User","sequence":1},"metadata":{"x":"` + strings.Repeat("y", 15<<20) + `"}}` + "\n")
	}()
	if line := a.want("Error"); !strings.HasPrefix(line.Message, "Malformed input: ") || line.SessionID != nil {
		t.Errorf("%s", line.raw)
	}
	if text := textOfAir(a.until("Complete")); text != "Hi." {
		t.Errorf("%q", text)
	}
	<-sent
	t.Logf("peak memory %d MiB", a.memory("VmHWM")>>20)
	a.quit()
}
