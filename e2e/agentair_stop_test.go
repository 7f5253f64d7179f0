package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// airRunning returns a process whose turn runs a command.
func airRunning(t *testing.T, command string, more ...modeltest.Reply) (*place, *client.AgentAir, *stage.Held) {
	t.Helper()
	p := toolBackend(t, command, more...).place(t)
	h := stage.Holding(t, p.Work)
	a := p.air(t)
	a.Say(1, "work")
	a.Until("PermissionRequired")
	a.Permit("a")
	h.Started()
	return p, a, h
}

// TestAirSignals: a signal interrupts the turn, whose end is sent, and ends the process and
// all that it started.
func TestAirSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, a, h := airRunning(t, stage.Family)
			a.Signal(sig)
			if got := a.Want("ToolCompleted"); got.Result != "[interrupted]" {
				t.Errorf("%s", got.Raw)
			}
			a.Want("System")
			a.Want("Complete")
			if bye := a.Want("System"); bye.Message != "Shutting down" || bye.SessionID != nil {
				t.Errorf("%s", bye.Raw)
			}
			if rest, code := a.Rest(); len(rest) > 0 || code != 0 {
				t.Errorf("exit code %d after %d lines", code, len(rest))
			}
			h.WantGone()
		})
	}
}

// TestAirSecondSignal: a second signal ends the process at once, and nothing is left.
func TestAirSecondSignal(t *testing.T) {
	t.Parallel()
	_, a, h := airRunning(t, stage.Stubborn)
	signalTwice(t, a.Conn, h, syscall.SIGINT, 130)
}

// TestAirNeverAnswers: a client that never answers closes its input: the prompt is cancelled,
// the turn ends, and the process too.
func TestAirNeverAnswers(t *testing.T) {
	t.Parallel()
	p := toolBackend(t, "touch ran", modeltest.Stream(modeltest.Text("I could not ask."))).place(t)
	a := p.air(t)
	a.Say(1, "work")
	a.Until("PermissionRequired")
	a.Stdin.Close()
	if got := a.Want("ToolCompleted"); got.Result != "Permission request cancelled" {
		t.Errorf("%s", got.Raw)
	}
	all, code := a.Rest()
	if last := all[len(all)-1]; code != 0 || last.Variant != "Complete" || client.AirText(all) != "I could not ask." {
		t.Errorf("exit code %d after %s", code, last.Raw)
	}
}

// TestAirClientKilled: the client is gone, with both ends, while one session runs a command
// and another asks. The process ends by itself, and nothing is left of the command.
func TestAirClientKilled(t *testing.T) {
	t.Parallel()
	_, a, h := airRunning(t, stage.Family,
		modeltest.Stream(modeltest.Call("b", "bash", `{"command":"touch ran"}`)), modeltest.Stream(modeltest.Text("I could not ask.")))
	a.SendText(`{"CreateSession":{}}` + "\n")
	a.Until("CommandComplete")
	a.SendText(`{"session_id":2,"content":"ask","turn_id":{"role":"User","sequence":1}}` + "\n")
	a.Until("PermissionRequired")
	a.Stdin.Close()
	a.Stdout.Close()
	if code := a.Code(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	h.WantGone()
}

// TestAirReaderGone: when the client stops reading, the turn is interrupted, and the process ends
// with 1, though its input is open and a prompt waits.
func TestAirReaderGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half."), modeltest.Call("a", "bash", `{"command":"touch ran"}`)),
		modeltest.Stream(modeltest.Text("I could not ask.")))
	a := b.place(t).air(t)
	a.Say(1, "go on")
	a.Until("TextChunk")
	a.Stdout.Close()
	close(gone)
	if code := a.Code(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if lines := strings.Count(a.Stderr.String(), "\n"); lines != 1 {
		t.Errorf("standard error has %d lines: %s", lines, a.Stderr)
	}
}

// TestAirKill: after kill -9 in any phase of a turn nothing that it started is left, and the
// journal opens: another face of the program goes on with everything that was acknowledged.
func TestAirKill(t *testing.T) {
	t.Parallel()
	for _, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := newBackend(t, modeltest.OpenAIChat, append([]modeltest.Reply{modeltest.Stream(modeltest.Text("Seven, noted."))}, c.script...)...)
			p := before.place(t)
			h := stage.Holding(t, p.Work)
			a := p.air(t)
			a.Say(1, "Remember the number 7.")
			a.Until("Complete")
			stage.Await(t, before.arrived, "the first request")
			a.Say(2, "Now work.")
			stage.Await(t, before.arrived, "the second request")
			switch c.name {
			case "streaming":
				a.Until("TextChunk")
			case "approval pending":
				a.Until("BatchPermissionRequired")
			case "tool running": // both calls of the batch are asked about together
				a.Until("BatchPermissionRequired")
				a.SendText(`{"BatchPermissionResponse":{"batch_id":"batch-1","approved_requests":["a"]}}` + "\n")
				h.Started()
			default:
				a.Until("PermissionRequired")
				a.Permit("a")
				a.Until("ToolCompleted")
				stage.Await(t, before.arrived, "the request after the tool call")
			}
			a.Kill()
			if c.name == "tool running" {
				h.WantGone()
			}
			checkResumed(t, p, "", crash{})
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
		a.SendText(`{"session_id":1,"content":"` + strings.Repeat("y", 16<<20) + `","turn_id":{"role":"User","sequence":1}}` + "\n")
		a.SendText(`{"session_id":1,"content":"hello","turn_id":{"role":"User","sequence":1},"metadata":{"x":"` + strings.Repeat("y", 15<<20) + `"}}` + "\n")
	}()
	if line := a.Want("Error"); !strings.HasPrefix(line.Message, "Malformed input: ") || line.SessionID != nil {
		t.Errorf("%s", line.Raw)
	}
	if text := client.AirText(a.Until("Complete")); text != "Hi." {
		t.Errorf("%q", text)
	}
	<-sent
	t.Logf("peak memory %d MiB", a.Memory("VmHWM")>>20)
	a.Leave()
}
