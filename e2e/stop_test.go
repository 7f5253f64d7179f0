package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

func toolBackend(t *testing.T, command string, more ...modeltest.Reply) *backend {
	return newBackend(t, modeltest.OpenAIChat, append([]modeltest.Reply{
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"`+command+`"}`)),
	}, more...)...)
}

// running returns a server whose tool runs the command.
func running(t *testing.T, b *backend) (*place, *server, *held) {
	t.Helper()
	p := b.place(t)
	h := holding(t, p)
	s := p.serve(t)
	s.prompt("work")
	s.answer(s.until("permission_request").last(), "allow")
	h.started()
	return p, s, h
}

// TestSignalInTool: SIGTERM and SIGINT interrupt the turn and end the process in good order.
func TestSignalInTool(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s, h := running(t, toolBackend(t, family))
			s.signal(sig)
			result := s.want("tool_result")
			if !result.IsError || result.Output != "[interrupted]" {
				t.Errorf("%s", result.raw)
			}
			if end := s.until("turn_complete").last(); end.StopReason != "interrupted" {
				t.Errorf("%s", end.raw)
			}
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			h.wantGone()
			resumed := p.serve(t, "--resume", "latest")
			if status := resumed.slash("status", ""); !strings.Contains(string(status.Data), `"turns":1,"turn_active":false`) {
				t.Errorf("the turn was not saved: %s", status.raw)
			}
		})
	}
}

// TestSecondSignal: who signals twice gets the end at once, and still leaves no orphans.
func TestSecondSignal(t *testing.T) {
	for code, sig := range map[int]syscall.Signal{143: syscall.SIGTERM, 130: syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, s, h := running(t, toolBackend(t, stubborn))
			s.signal(sig)
			h.asked()
			s.signal(sig)
			go drain(s.stdout)
			if got := s.code(); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			h.wantGone()
		})
	}
}

// TestInterruptStubbornTool: a command that ignores SIGTERM is killed, within the three
// seconds that the protocol allows, and the server lives on.
func TestInterruptStubbornTool(t *testing.T) {
	_, s, h := running(t, toolBackend(t, stubborn, modeltest.Stream(modeltest.Text("I am here."))))
	s.send(map[string]string{"type": "interrupt"})
	h.asked()
	if end := s.until("turn_complete").last(); end.StopReason != "interrupted" {
		t.Errorf("%s", end.raw)
	}
	h.wantGone()
	s.prompt("hello?")
	if got := s.wantCompleted().text(); got != "I am here." {
		t.Errorf("the answer is %q", got)
	}
}

// TestOutputGone: when nobody reads standard output any more the turn ends by itself, the
// session is saved, and the exit code says what happened.
func TestOutputGone(t *testing.T) {
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half."), modeltest.Call("a", "bash", `{"command":"touch ran"}`)),
		modeltest.Stream(modeltest.Text("I could not ask.")))
	p := b.place(t)
	s := p.serve(t)
	s.prompt("go on")
	s.until("text_delta")
	s.stdout.Close()
	close(gone)
	if code := s.code(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if lines := strings.Count(s.stderr.String(), "\n"); lines != 1 {
		t.Errorf("standard error has %d lines", lines)
	}
	conversation := b.chatMessages(t, 1)
	checkPaired(t, conversation)
	checkSaid(t, conversation, "go on", "Half and half.", "controller disconnected before responding")

	after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Yes.")))
	after.use(p)
	resumed := p.serve(t, "--resume", "latest")
	resumed.prompt("saved?")
	resumed.wantCompleted()
	checkSaid(t, after.chatMessages(t, 0), "go on", "Half and half.", "I could not ask.", "saved?")
}

// TestInputEnds: at every stage of a turn the end of input lets the turn finish, and the
// process exits with 0.
func TestInputEnds(t *testing.T) {
	stages := map[string]func(s *server, h *held, gate chan struct{}){
		"streaming": func(s *server, _ *held, _ chan struct{}) { s.until("text_delta") },
		"approval pending": func(s *server, _ *held, gate chan struct{}) {
			close(gate)
			s.until("permission_request")
		},
		"tool running": func(s *server, h *held, gate chan struct{}) {
			close(gate)
			s.answer(s.until("permission_request").last(), "allow")
			h.started()
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
			h := holding(t, p)
			if err := syscall.Mkfifo(p.work+"/go", 0o600); err != nil {
				t.Fatal(err)
			}
			s := p.serve(t)
			s.prompt("go")
			reach(s, h, gate)
			s.stdin.Close()
			want := "controller disconnected before responding"
			switch name {
			case "streaming":
				close(gate)
			case "tool running":
				want = "went\n"
				p.write(t, "go", "went\n") // opens the pipe and lets the tool go on
			}
			all := s.until("turn_complete")
			if result := all.of("tool_result"); len(result) != 1 || result[0].Output != want {
				t.Errorf("results %v, want %q", result, want)
			}
			if all.last().StopReason != "end_turn" || !strings.HasSuffix(all.text(), "Done.") {
				t.Errorf("%s: %s", all.text(), all.last().raw)
			}
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestShutdownIsLast: what stands after shutdown, in the same write, is not read.
func TestShutdownIsLast(t *testing.T) {
	s := newPlace(t).serve(t)
	s.sendText(`{"type":"shutdown"}` + "\n" + `{"type":"slash","command":"version"}` + "\n" + `{"type":"prompt","text":"x"}` + "\nnonsense\n")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTwoProcesses: two processes that have one session take turns, and each turn has what both
// said before it.
func TestTwoProcesses(t *testing.T) {
	answer := func(text string) modeltest.Reply { return modeltest.Stream(modeltest.Text(text)) }
	b := newBackend(t, modeltest.OpenAIChat, answer("a"), answer("b"), answer("c"), answer("d"))
	p := b.place(t)
	first := p.serve(t)
	first.prompt("one")
	first.wantCompleted()
	second := p.serve(t, "--resume", "latest")
	if second.ready.SessionID != first.ready.SessionID {
		t.Fatalf("latest is %s, want %s", second.ready.SessionID, first.ready.SessionID)
	}
	second.prompt("two")
	second.wantCompleted()
	first.prompt("three")
	first.wantCompleted()
	for _, s := range []*server{first, second} {
		if code := s.exit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	heir := p.serve(t, "--resume", first.ready.SessionID)
	heir.prompt("four")
	heir.wantCompleted()
	checkSaid(t, b.chatMessages(t, 3), "one", "a", "two", "b", "three", "c", "four")
}

// TestResumeByPath: the folder of a session is as good as its id, from any workspace.
func TestResumeByPath(t *testing.T) {
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")), modeltest.Stream(modeltest.Text("b")))
	p := b.place(t)
	s := p.serve(t)
	s.prompt("one")
	s.wantCompleted()
	var list struct {
		Path string `json:"path"`
	}
	s.slash("session", "").decode(t, &list)
	s.exit()

	other := newPlace(t)
	b.use(other)
	resumed := other.serve(t, "--resume", list.Path)
	if resumed.ready.SessionID != s.ready.SessionID {
		t.Fatalf("resumed %s", resumed.ready.raw)
	}
	resumed.prompt("two")
	resumed.wantCompleted()
	checkSaid(t, b.chatMessages(t, 1), "one", "a", "two")
}
