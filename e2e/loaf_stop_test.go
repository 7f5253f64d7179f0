package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// loafRunning returns a server whose command is under way, in the first turn of its session.
func loafRunning(t *testing.T, command string) (*place, *client.Loaf, *stage.Held) {
	t.Helper()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Let me see. "), modeltest.Call("a", "bash", `{"command":"`+command+`"}`)))
	p := b.place(t)
	h := stage.Holding(t, p.Work)
	l := p.loaf(t)
	session := l.Create()
	l.Say(session, "work")
	h.Started()
	return p, l, h
}

// TestLoafEndsInTool: in each way to end the process while a command runs, nothing of
// the command is left, the end of the turn is sent, and the next process finds the chat.
func TestLoafEndsInTool(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*client.Loaf){
		"TERM": func(l *client.Loaf) { l.Signal(syscall.SIGTERM) },
		"INT":  func(l *client.Loaf) { l.Signal(syscall.SIGINT) },
		"EOF":  func(l *client.Loaf) { l.Stdin.Close() },
		"shutdown": func(l *client.Loaf) {
			l.Request("system.shutdown", map[string]string{"reason": "done"})
			l.Request("system.ping", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, l, h := loafRunning(t, stage.Family)
			ask(l)
			lines := l.WantEnd()
			h.WantGone()
			if !client.LoafHas(lines, "session.tool.call.completed", `"error":"process aborted (no exit code)"`) || !client.LoafHas(lines, "session.interrupted", `"partial_output":true`) {
				t.Errorf("the end of the turn was not sent: %v", lines)
			}
			last := lines[len(lines)-1].Raw
			if name == "shutdown" && last != `{"jsonrpc":"2.0","id":3,"result":{"accepted":true,"reason":"done"}}` || name != "shutdown" && !strings.Contains(last, `"status_label":"ready"`) {
				t.Errorf("the last line is %s", last)
			}
			if got := p.lastChat(t).texts(); got != "user: work\nassistant: Let me see. " {
				t.Errorf("the chat is\n%s", got)
			}
		})
	}
}

// TestLoafKilledInTool: kill -9 leaves nothing of the command, and of the chat everything
// that was acknowledged; the next process goes on with it.
func TestLoafKilledInTool(t *testing.T) {
	t.Parallel()
	p, l, h := loafRunning(t, stage.Family)
	l.Kill()
	h.WantGone()
	if got := p.lastChat(t).texts(); got != "user: work\nassistant: Let me see. " {
		t.Errorf("the chat is\n%s", got)
	}
	after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Here.")))
	after.use(p)
	next := p.loaf(t)
	session := next.Create()
	next.Result(nil, "command.execute", map[string]string{"session_id": session, "raw_command": "/history last"})
	next.Say(session, "and now?")
	if got := client.LoafText(next.Turn()); got != "Here." {
		t.Errorf("the answer is %q", got)
	}
	next.Leave()
	conversation := after.chatMessages(t, 0)
	stage.CheckPaired(t, conversation)
	stage.CheckSaid(t, conversation, "work", "and now?")
}

// TestLoafSecondSignal: a second signal ends the process at once, and still leaves no orphans.
func TestLoafSecondSignal(t *testing.T) {
	t.Parallel()
	_, l, h := loafRunning(t, stage.Stubborn)
	signalTwice(t, l.Conn, h, syscall.SIGTERM, 143)
}

// TestLoafOutputGone: a client that stops reading is treated like the end of input, not as a failure.
func TestLoafOutputGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half.")))
	p := b.place(t)
	l := p.loaf(t)
	l.Say(l.Create(), "go on")
	l.UntilEvent("session.stream.chunk")
	l.Stdout.Close()
	close(gone)
	if code := l.Code(); code != 0 || l.Stderr.String() != "" {
		t.Errorf("exit code %d, standard error %q", code, l.Stderr)
	}
	if got := p.lastChat(t).texts(); !strings.HasPrefix(got, "user: go on\nassistant: Half") {
		t.Errorf("the chat is\n%s", got)
	}
}
