package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// loafRunning returns a server whose command is under way, in the first turn of its session.
func loafRunning(t *testing.T, command string) (*place, *loaf, *held) {
	t.Helper()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Let me see. "), modeltest.Call("a", "bash", `{"command":"`+command+`"}`)))
	p := b.place(t)
	h := holding(t, p)
	l := p.loaf(t)
	session := l.create()
	l.say(session, "work")
	h.started()
	return p, l, h
}

// TestLoafEndsInTool: however the process is asked to end while a command runs, nothing of
// the command is left, the turn is told to its end, and the next process finds the chat.
func TestLoafEndsInTool(t *testing.T) {
	for name, ask := range map[string]func(*loaf){
		"TERM": func(l *loaf) { l.signal(syscall.SIGTERM) },
		"INT":  func(l *loaf) { l.signal(syscall.SIGINT) },
		"EOF":  func(l *loaf) { l.stdin.Close() },
		"shutdown": func(l *loaf) {
			l.ask("system.shutdown", map[string]string{"reason": "done"})
			l.ask("system.ping", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, l, h := loafRunning(t, family)
			ask(l)
			lines := l.rest()
			h.wantGone()
			if !loafHas(lines, "session.tool.call.completed", `"error":"process aborted (no exit code)"`) || !loafHas(lines, "session.interrupted", `"partial_output":true`) {
				t.Errorf("the turn was not told to its end: %v", lines)
			}
			last := lines[len(lines)-1].raw
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
	p, l, h := loafRunning(t, family)
	l.kill()
	h.wantGone()
	if got := p.lastChat(t).texts(); got != "user: work\nassistant: Let me see. " {
		t.Errorf("the chat is\n%s", got)
	}
	after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Here.")))
	after.use(p)
	next := p.loaf(t)
	session := next.create()
	next.result(nil, "command.execute", map[string]string{"session_id": session, "raw_command": "/history last"})
	next.say(session, "and now?")
	if got := loafSaid(next.turn()); got != "Here." {
		t.Errorf("the answer is %q", got)
	}
	next.quit()
	conversation := after.chatMessages(t, 0)
	checkPaired(t, conversation)
	checkSaid(t, conversation, "work", "and now?")
}

// TestLoafSecondSignal: who signals twice gets the end at once, and still leaves no orphans.
func TestLoafSecondSignal(t *testing.T) {
	_, l, h := loafRunning(t, stubborn)
	l.signal(syscall.SIGTERM)
	h.asked()
	l.signal(syscall.SIGTERM)
	go drain(l.stdout)
	if code := l.code(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	h.wantGone()
}

// TestLoafOutputGone: when nobody reads any more that is the end of input, and no failure.
func TestLoafOutputGone(t *testing.T) {
	gone := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gone), modeltest.Text(" and half.")))
	p := b.place(t)
	l := p.loaf(t)
	l.say(l.create(), "go on")
	l.untilEvent("session.stream.chunk")
	l.stdout.Close()
	close(gone)
	if code := l.code(); code != 0 || l.stderr.String() != "" {
		t.Errorf("exit code %d, standard error %q", code, l.stderr)
	}
	if got := p.lastChat(t).texts(); !strings.HasPrefix(got, "user: go on\nassistant: Half") {
		t.Errorf("the chat is\n%s", got)
	}
}
