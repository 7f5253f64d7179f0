package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/terminal/terminaltest"
	"parley.dev/parley/record"
)

// The journeys of a user, in the numbers of their list.

// Journey 1: the first start without a key.
func TestFirstStart(t *testing.T) {
	p := place(t, "")
	c := start(t, p)
	c.Wait("offline demo")
	c.Wait("ANTHROPIC_API_KEY")
	c.picture("first", terminaltest.Dark)
	if list, err := os.ReadDir(filepath.Join(p.State(), "sessions")); err == nil && len(list) > 0 {
		t.Errorf("there are sessions before the first prompt: %v", list)
	}
	c.send("hello there")
	c.Wait("(?i)offline demo model")
	c.status("idle")
	id := resumed(t, c.leave())

	c = start(t, p, "--resume", "latest")
	c.Wait("hello there")
	c.status(`idle.*\d+%`)
	if other := resumed(t, c.leave()); other != id {
		t.Errorf("latest is %s, not %s", other, id)
	}
	c = start(t, p)
	c.Wait("hello there") // in the list of the last sessions
	if text := c.leave(); strings.Contains(text, "--resume") {
		t.Errorf("without a session:\n%s", text)
	}
}

// Journey 2: a prompt that runs a command.
func TestCommand(t *testing.T) {
	p := place(t, shell(`printf '\033[31mred\033[0m text\n'; echo done > out.txt`)+"text All tests pass.\n")
	c := start(t, p, "--mode", "prompt")
	c.send("run the tests")
	c.Wait("y Allow once")
	c.contains("s Allow for session", "w Allow in workspace", "n Deny", "printf")
	c.status("waiting for you")
	c.WaitBell()
	if !strings.Contains(c.Title(), "waiting for you") {
		t.Errorf("the title is %q", c.Title())
	}
	c.picture("approval", terminaltest.Dark)
	if _, err := os.Stat(filepath.Join(p.Work, "out.txt")); err == nil {
		t.Error("the command ran before it was allowed")
	}
	c.answer("y", "Allowed")
	c.Wait("exit 0")
	c.Wait("red text")
	c.Wait("All tests pass.")
	c.status("idle")
	if strings.Contains(c.Text(), "y Allow once") {
		t.Error("the choices are still there")
	}
	c.picture("command", terminaltest.Dark)
	c.leave()
}

// Journey 3: an edit is denied with a reason, and the model tries otherwise.
func TestEditDenied(t *testing.T) {
	p := place(t, `call edit {"path":"a.txt","old":"two","new":"2"}
next
expect not that line
call edit {"path":"a.txt","old":"three","new":"3"}
next
text Changed the other line.
`)
	p.Write(t, "a.txt", "one\ntwo\nthree\n")
	c := start(t, p, "--mode", "prompt")
	c.send("change it")
	c.Wait("y Allow once")
	c.Wait(`-\s*two`)
	c.Wait(`\+\s*2`)
	c.picture("edit", terminaltest.Dark)
	c.answer("n", "Reason")
	c.Press("esc")
	c.WaitGone("Reason")
	c.answer("n", "Reason")
	c.send("not that line")
	c.Wait("Denied: not that line")
	c.answer("y", "Allowed")
	c.Wait(`a\.txt \+1 -1`)
	c.Wait("Changed the other line.")
	c.status("idle")
	if text := exists(t, p, "a.txt"); text != "one\ntwo\n3\n" {
		t.Errorf("the file is %q", text)
	}
	c.leave()
}

// Journey 4: the user interrupts while the model thinks, a command runs, or an approval waits.
func TestInterrupt(t *testing.T) {
	for name, test := range map[string]struct{ script, mode, during string }{
		"thinking": {"think Let me see.\nhang\nnext\ntext Again.\n", "prompt", "thinking"},
		"command":  {shell("echo begun; sleep 1000") + "text Again.\n", "danger-full-access", "begun"},
		"approval": {shell("echo no > out.txt") + "text Again.\n", "prompt", "y Allow once"},
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t, test.script)
			c := start(t, p, "--mode", test.mode)
			c.send("go on")
			c.Wait(test.during)
			c.Press("esc")
			c.Wait("Interrupted")
			c.status("idle")
			if strings.Contains(c.Text(), "y Allow once") {
				t.Error("the choices are still there")
			}
			c.send("once more")
			c.Wait("Again.")
			if _, err := os.Stat(filepath.Join(p.Work, "out.txt")); err == nil {
				t.Error("the command ran")
			}
			c.leave()
		})
	}
}

// Journey 5: the user steers and queues while the model works.
func TestSteerAndQueue(t *testing.T) {
	p := place(t, shell(blocking)+"text First done.\nnext\ntext Second done.\n")
	c := start(t, p, "--mode", "danger-full-access")
	c.send("begin")
	c.status("working")
	c.send("use tabs")
	c.Wait("Steering: use tabs")
	c.Press("then the docs", "alt+enter")
	c.Wait("Queued: then the docs")
	c.picture("queue", terminaltest.Dark)
	c.Press("alt+up")
	c.WaitGone("Queued: then the docs")
	c.Wait("then the docs")
	c.Press(" please", "alt+enter")
	c.Wait("Queued: then the docs please")
	p.Write(t, "go", "")
	c.Wait("First done.")
	c.WaitGone("Steering: ")
	c.Wait("Second done.")
	c.WaitGone("Queued: ")
	c.status("idle")
	c.leave()
}

// Journey 6: model and mode change in the middle of a session.
func TestChangeSettings(t *testing.T) {
	p := place(t, "text One.\nnext\n"+shell("echo x > out.txt")+"text Two.\n")
	c := start(t, p, "--mode", "read-only")
	c.send("first")
	c.Wait("One.")
	c.status("idle.*read-only")
	c.send("/mode fast")
	c.Wait("workspace-write.*danger-full-access|danger-full-access.*workspace-write|(?s)workspace-write.*danger-full-access")
	c.send("/mode danger-full-access")
	c.Wait("danger-full-access.*next (model call|turn)")
	c.status("idle.*danger-full")
	c.send("/model offline/demo")
	c.Wait("offline/demo.*next (model call|turn)")
	c.send("/model offline/script")
	c.Wait("offline/script.*next (model call|turn)")
	c.Press("ctrl+o")
	c.Wait("Settings")
	c.contains("Model", "Reasoning", "Mode", "Sandbox", "Tools")
	c.picture("settings", terminaltest.Dark)
	c.Press("esc")
	c.WaitGone("Sandbox")
	c.send("second")
	c.Wait("Two.")
	exists(t, p, "out.txt")
	c.leave()
}

// Journey 7: the user leaves while a turn runs on a host, comes back, and another client has seen all.
func TestLeaveAndReturn(t *testing.T) {
	p := place(t, shell(blocking)+"text It is done.\n")
	h := serve(t, p)
	c := start(t, p, "--mode", "danger-full-access")
	c.send("begin")
	c.status("working")
	text := c.leave()
	if !strings.Contains(text, "still running") {
		t.Errorf("left with:\n%s", text)
	}
	id := resumed(t, text)
	p.Write(t, "go", "")
	ctx, other := h.dial(t, "other")
	for rec, err := range other.Session(id).Follow(ctx, client.FollowOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindTurnEnded {
			break
		}
	}
	c = start(t, p, "--resume", id)
	c.Wait("begin")
	c.contains("while ! test", "went", "exit 0", "It is done.")
	c.leave()
}

// Journey 8: two clients answer the same approval.
func TestTwoClients(t *testing.T) {
	p := place(t, shell("echo 1 > one.txt")+shell("echo 2 > two.txt")+shell("echo 3 > three.txt")+"text Done.\n")
	h := serve(t, p)
	c := start(t, p, "--mode", "prompt")
	c.send("go on")
	c.Wait("y Allow once")
	ctx, other := h.dial(t, "phone")
	page, _, err := other.List(ctx, client.Query{})
	if err != nil || len(page) != 1 {
		t.Fatalf("%v, %v", page, err)
	}
	s := other.Session(page[0].ID)
	waiting := func() string {
		t.Helper()
		var id string
		until(t, "an approval", func() bool {
			state, err := s.State(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(state.Approvals) == 1 {
				id = state.Approvals[0].ID
			}
			return id != ""
		})
		return id
	}
	first := waiting()
	if err := s.Approve(ctx, first); err != nil {
		t.Fatal(err)
	}
	c.Wait("Allowed by phone")
	c.Wait("echo 2")
	second := waiting()
	if err := s.Deny(ctx, second, ""); err != nil {
		t.Fatal(err)
	}
	c.Wait("Denied by phone")
	c.Wait("echo 3")
	third := waiting()
	c.answer("y", `Allowed( [^b]|$)`)
	if err := s.Approve(ctx, third); !client.IsKind(err, "answered") {
		t.Errorf("the second answer: %v", err)
	}
	c.Wait("Done.")
	c.WaitGone("y Allow once")
	c.leave()
}

// Journey 9: the user searches a hundred sessions, and forks one at its third prompt.
func TestSearchAndFork(t *testing.T) {
	p := place(t, strings.Repeat("text Answer.\nnext\n", 120))
	h := serve(t, p)
	ctx, other := h.dial(t, "other")
	var wanted string
	for i := range 100 {
		s, err := other.Create(ctx, client.NewSession{Workspace: p.Work})
		if err != nil {
			t.Fatal(err)
		}
		prompts := []string{fmt.Sprintf("task number %d", i)}
		if i == 42 {
			wanted = s.ID()
			prompts = append(prompts, "second prompt", "third prompt", "fourth prompt")
		}
		var next uint64
		for _, text := range prompts {
			if _, err := s.Prompt(ctx, client.Prompt{Text: text}); err != nil {
				t.Fatal(err)
			}
			for rec, err := range s.Follow(ctx, client.FollowOptions{From: next}) {
				if err != nil {
					t.Fatal(err)
				}
				if next = rec.Seq + 1; rec.Kind == record.KindTurnEnded {
					break
				}
			}
		}
	}
	c := startSized(t, p, 120, 40)
	c.Press("ctrl+s")
	c.Wait("Sessions")
	c.Wait("task number")
	c.picture("sessions", terminaltest.Dark)
	c.Press("number 42")
	c.Wait("> .*task number 42")
	c.WaitGone("task number 41")
	c.Press("enter")
	c.Wait("fourth prompt")
	c.Press("ctrl+t")
	c.Wait("History")
	c.Press("third")
	c.Wait("> .*third prompt")
	c.WaitGone("(?s)History.*> .*(first|second|fourth) prompt")
	c.picture("history", terminaltest.Dark)
	c.Press("ctrl+f")
	c.Wait("Forked from " + wanted)
	c.contains("second prompt")
	if strings.Contains(c.Text(), "fourth prompt") {
		t.Error("the fork has the fourth prompt")
	}
	c.Press("ctrl+s")
	c.Wait("Sessions")
	c.Press("number 42")
	c.WaitGone("task number 41")
	c.Wait(`(?s)task number 42.*task number 42`)
	c.Press("esc")
	c.WaitGone("task number 42.*\n.*task number 42")
	if id := resumed(t, c.leave()); id == wanted {
		t.Error("the fork is not open")
	}
}

// Journey 10: the files of an earlier point are restored.
func TestRestoreFiles(t *testing.T) {
	p := place(t, `call edit {"path":"a.txt","old":"one","new":"1"}
next
text First.
next
call edit {"path":"a.txt","old":"two","new":"2"}
next
text Second.
`)
	p.Write(t, "a.txt", "one\ntwo\n")
	c := start(t, p, "--mode", "workspace-write")
	c.send("change one")
	c.Wait("First.")
	c.status("idle")
	c.send("change two")
	c.Wait("Second.")
	c.status("idle")
	c.Press("ctrl+t")
	c.Wait("History")
	c.Press("change two")
	c.Wait("> .*change two")
	c.WaitGone("(?m)^.*> .*change one")
	c.Press("ctrl+r")
	c.Wait("y Restore")
	c.Wait(`\+\s*two`)
	c.picture("restore", terminaltest.Dark)
	if text := exists(t, p, "a.txt"); text != "1\n2\n" {
		t.Errorf("before: %q", text)
	}
	c.Press("y")
	until(t, "the file of before", func() bool { return exists(t, p, "a.txt") == "1\ntwo\n" })
	c.WaitGone("y Restore")
	for range 3 { // whatever is open
		if strings.Contains(c.Text(), "History") {
			c.Press("esc")
			c.WaitGone("History")
		}
	}
	c.leave()
}

// Journey 11: a budget is used up.
func TestBudget(t *testing.T) {
	p := place(t, "text First.\nusage in=900 out=200\nnext\ntext Second.\n")
	p.Env = append(p.Env, "PARLEY_BUDGET=total_tokens=1000")
	c := start(t, p)
	c.send("begin")
	c.Wait("First.")
	c.status("idle")
	c.send("one more thing")
	c.Wait("budget is used up")
	c.Wait("one more thing")
	c.picture("budget", terminaltest.Dark)
	if strings.Contains(c.Text(), "Second.") {
		t.Error("the model was called")
	}
	c.leave()
}

// Journey 12: the host is killed and started again while the client is there.
func TestKilledHost(t *testing.T) {
	p := place(t, "text Before.\nnext\ntext After.\n")
	h := serve(t, p)
	c := start(t, p)
	c.send("first prompt")
	c.Wait("Before.")
	c.status("idle")
	c.Press("half a thou")
	c.Wait("half a thou")
	h.process.Kill()
	c.status("Connection lost")
	c.contains("first prompt", "Before.", "half a thou")
	c.picture("lost", terminaltest.Dark)
	serve(t, p)
	c.WaitGone("Connection lost")
	c.Press("ght", "enter")
	c.Wait("half a thought")
	c.Wait("Before.") // the model of the new process begins its script anew
	c.Wait(`(?s)Before\..*Before\.`)
	c.status("idle")
	c.leave()
}
