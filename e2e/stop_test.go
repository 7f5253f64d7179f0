package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

func toolBackend(t *testing.T, command string, more ...modeltest.Reply) *backend {
	return newBackend(t, modeltest.OpenAIChat, append([]modeltest.Reply{
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"`+command+`"}`)),
	}, more...)...)
}

// running returns a server whose tool runs the command.
func running(t *testing.T, b *backend) (*place, *client.ScaiFlux, *stage.Held) {
	t.Helper()
	p := b.place(t)
	h := stage.Holding(t, p.Work)
	s := p.serve(t)
	s.Prompt("work")
	s.Answer(s.Until("permission_request").Last(), "allow")
	h.Started()
	return p, s, h
}

// TestSignalInTool: SIGTERM and SIGINT interrupt the turn and end the process in good order.
func TestSignalInTool(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s, h := running(t, toolBackend(t, stage.Family))
			s.Signal(sig)
			result := s.Want("tool_result")
			if !result.IsError || result.Output != "[interrupted]" {
				t.Errorf("%s", result.Raw)
			}
			if end := s.Until("turn_complete").Last(); end.StopReason != "interrupted" {
				t.Errorf("%s", end.Raw)
			}
			if code := s.End(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			h.WantGone()
			resumed := p.serve(t, "--resume", "latest")
			if status := resumed.Slash("status", ""); !strings.Contains(string(status.Data), `"turns":1,"turn_active":false`) {
				t.Errorf("the turn was not saved: %s", status.Raw)
			}
		})
	}
}

// TestSecondSignal: a second signal ends the process at once, and still leaves no orphans.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	for code, sig := range map[int]syscall.Signal{143: syscall.SIGTERM, 130: syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, s, h := running(t, toolBackend(t, stage.Stubborn))
			signalTwice(t, s.Conn, h, sig, code)
		})
	}
}

// signalTwice signals a process twice whose command is stubborn.
func signalTwice(t *testing.T, c *client.Conn, h *stage.Held, sig syscall.Signal, code int) {
	t.Helper()
	c.Signal(sig)
	h.Asked()
	c.Signal(sig)
	go c.Drain()
	if got := c.Code(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
	h.WantGone()
}

// TestInterruptStubbornTool: a command that ignores SIGTERM is killed, within the three
// seconds that the protocol allows, and the server lives on.
func TestInterruptStubbornTool(t *testing.T) {
	t.Parallel()
	_, s, h := running(t, toolBackend(t, stage.Stubborn, modeltest.Stream(modeltest.Text("I am here."))))
	s.Send(map[string]string{"type": "interrupt"})
	h.Asked()
	if end := s.Until("turn_complete").Last(); end.StopReason != "interrupted" {
		t.Errorf("%s", end.Raw)
	}
	h.WantGone()
	s.Prompt("hello?")
	if got := s.WantCompleted().Text(); got != "I am here." {
		t.Errorf("the answer is %q", got)
	}
}

// TestOutputGone: when the reader of standard output is gone, the turn ends by itself, the
// session is saved, and the exit code reports the turn's outcome.
func TestOutputGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half."), modeltest.Call("a", "bash", `{"command":"touch ran"}`)),
		modeltest.Stream(modeltest.Text("I could not ask.")))
	p := b.place(t)
	s := p.serve(t)
	s.Prompt("go on")
	s.Until("text_delta")
	s.Stdout.Close()
	close(gone)
	if code := s.Code(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if lines := strings.Count(s.Stderr.String(), "\n"); lines != 1 {
		t.Errorf("standard error has %d lines", lines)
	}
	conversation := b.chatMessages(t, 1)
	stage.CheckPaired(t, conversation)
	stage.CheckSaid(t, conversation, "go on", "Half and half.", "controller disconnected before responding")

	after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Yes.")))
	after.use(p)
	resumed := p.serve(t, "--resume", "latest")
	resumed.Prompt("saved?")
	resumed.WantCompleted()
	stage.CheckSaid(t, after.chatMessages(t, 0), "go on", "Half and half.", "I could not ask.", "saved?")
}

// TestInputEnds: at every stage of a turn the end of input lets the turn finish, and the
// process exits with 0.
func TestInputEnds(t *testing.T) {
	t.Parallel()
	stages := map[string]func(s *client.ScaiFlux, h *stage.Held, gate chan struct{}){
		"streaming": func(s *client.ScaiFlux, _ *stage.Held, _ chan struct{}) { s.Until("text_delta") },
		"approval pending": func(s *client.ScaiFlux, _ *stage.Held, gate chan struct{}) {
			close(gate)
			s.Until("permission_request")
		},
		"tool running": func(s *client.ScaiFlux, h *stage.Held, gate chan struct{}) {
			close(gate)
			s.Answer(s.Until("permission_request").Last(), "allow")
			h.Started()
		},
	}
	for name, reach := range stages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			b := newBackend(t, modeltest.OpenAIChat,
				modeltest.Stream(modeltest.Text("Well. "), modeltest.Wait(gate), modeltest.Call("a", "bash", `{"command":"exec 3>hold; echo started >&3; read go <go; echo $go"}`)),
				modeltest.Stream(modeltest.Text("Done.")))
			p := b.place(t)
			h := stage.Holding(t, p.Work)
			if err := syscall.Mkfifo(p.Work+"/go", 0o600); err != nil {
				t.Fatal(err)
			}
			s := p.serve(t)
			s.Prompt("go")
			reach(s, h, gate)
			s.Stdin.Close()
			want := "controller disconnected before responding"
			switch name {
			case "streaming":
				close(gate)
			case "tool running":
				want = "went\n"
				p.Write(t, "go", "went\n") // opens the pipe and lets the tool go on
			}
			all := s.Until("turn_complete")
			if result := all.Of("tool_result"); len(result) != 1 || result[0].Output != want {
				t.Errorf("results %v, want %q", result, want)
			}
			if all.Last().StopReason != "end_turn" || !strings.HasSuffix(all.Text(), "Done.") {
				t.Errorf("%s: %s", all.Text(), all.Last().Raw)
			}
			if code := s.End(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestShutdownIsLast: what stands after shutdown, in the same write, is not read.
func TestShutdownIsLast(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve(t)
	s.SendText(`{"type":"shutdown"}` + "\n" + `{"type":"slash","command":"version"}` + "\n" + `{"type":"prompt","text":"x"}` + "\nnonsense\n")
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTwoProcesses: two processes that have one session take turns, and each turn has what both
// said before it.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	answer := func(text string) modeltest.Reply { return modeltest.Stream(modeltest.Text(text)) }
	b := newBackend(t, modeltest.OpenAIChat, answer("a"), answer("b"), answer("c"), answer("d"))
	p := b.place(t)
	first := p.serve(t)
	first.Prompt("one")
	first.WantCompleted()
	second := p.serve(t, "--resume", "latest")
	if second.Ready.SessionID != first.Ready.SessionID {
		t.Fatalf("latest is %s, want %s", second.Ready.SessionID, first.Ready.SessionID)
	}
	second.Prompt("two")
	second.WantCompleted()
	first.Prompt("three")
	first.WantCompleted()
	for _, s := range []*client.ScaiFlux{first, second} {
		if code := s.Exit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	heir := p.serve(t, "--resume", first.Ready.SessionID)
	heir.Prompt("four")
	heir.WantCompleted()
	stage.CheckSaid(t, b.chatMessages(t, 3), "one", "a", "two", "b", "three", "c", "four")
}

// TestResumeByPath: the folder of a session is as good as its id, from any workspace.
func TestResumeByPath(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")), modeltest.Stream(modeltest.Text("b")))
	p := b.place(t)
	s := p.serve(t)
	s.Prompt("one")
	s.WantCompleted()
	var list struct {
		Path string `json:"path"`
	}
	s.Slash("session", "").Decode(t, &list)
	s.Exit()

	other := newPlace(t)
	b.use(other)
	resumed := other.serve(t, "--resume", list.Path)
	if resumed.Ready.SessionID != s.Ready.SessionID {
		t.Fatalf("resumed %s", resumed.Ready.Raw)
	}
	resumed.Prompt("two")
	resumed.WantCompleted()
	stage.CheckSaid(t, b.chatMessages(t, 1), "one", "a", "two")
}
