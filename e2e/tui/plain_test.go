package tui

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/terminal/terminaltest"
)

// plain starts the console over pipes.
func plain(t *testing.T, p *stage.Place, args ...string) *lines {
	t.Helper()
	process := stage.Launch(t, command(t, p, append([]string{"tui"}, args...)...))
	return newLines(t, process)
}

// TestPlain: one fact a line, without a terminal.
func TestPlain(t *testing.T) {
	p := place(t, shell("echo 'ok  shop  0.2s'; printf '\\033[2J'")+"text All tests pass.\ntext \"\\nReally.\"\n")
	c := plain(t, p, "--mode", "prompt")
	c.write("run the tests\n")
	c.want("[approval] ")
	c.write("y\n")
	c.want("[turn] completed")
	if err := c.process.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := c.process.Code(); code != 0 {
		t.Errorf("exit %d", code)
	}
	text := c.all()
	rest := text
	for _, line := range []string{
		"[session] 2", "[you] run the tests\n", "[command] echo 'ok  shop  0.2s'", "[approval] y Allow once, s Allow for session, w Allow in workspace, n Deny\n",
		"[allowed]\n", "[output] ok  shop  0.2s\n", "[exit] 0\n", "[answer] All tests pass.\n  Really.\n", "[turn] completed\n",
	} {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("no %q, in this order, in\n%s", line, text)
		}
		rest = after
	}
	if strings.ContainsAny(text, "\x1b\r") {
		t.Errorf("there are control characters: %q", text)
	}
}

// TestStart: a prompt without a command begins in the console, and the session is continued without one.
func TestStart(t *testing.T) {
	p := place(t, "text Done.\n")
	c := startCommand(t, command(t, p, "fix the test"), 80, 24)
	c.Wait("Done\\.")
	c.status("idle")
	c.leave()
	again := newLines(t, stage.Launch(t, command(t, p, "--continue"))) // plain: its input is no terminal
	again.write("and the other\n")
	again.want("[answer] Done.")
	if err := again.process.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := again.process.Code(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestPlainDenied: the end of input denies what waits; a reason is sent; the exit code is that of the last turn.
func TestPlainDenied(t *testing.T) {
	p := place(t, shell("echo 1 > one.txt")+"expect not now\n"+shell("echo 2 > two.txt")+"fail rejected The model is broken.\n")
	c := plain(t, p, "--mode", "prompt")
	c.write("go on\n")
	c.want("[approval] ")
	c.write("n not now\n")
	c.want("[denied] not now")
	c.want("[approval] ")
	if err := c.process.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := c.process.Code(); code != 1 {
		t.Errorf("exit %d", code)
	}
	text := c.all()
	if strings.Count(text, "[denied]") != 2 || !strings.Contains(text, "[turn] failed") || !strings.Contains(text, "The model is broken.") {
		t.Errorf("%s", text)
	}
	for _, name := range []string{"one.txt", "two.txt"} {
		if _, err := os.Stat(p.Work + "/" + name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// TestPlainInterrupt: Ctrl-C interrupts the turn, and when idle ends the console. The process of the console does not get it.
func TestPlainInterrupt(t *testing.T) {
	p := place(t, shell(stage.Family)+"text Later.\n")
	held := stage.Holding(t, p.Work)
	terminal := terminaltest.Open(t, 80, 24)
	code := terminal.Start(command(t, p, "tui", "--plain", "--mode", "danger-full-access"))
	terminal.Type("go on\n")
	held.Started()
	terminal.Type("\x03")
	terminal.Until(`\[turn\] interrupted`)
	held.WantGone()
	terminal.Type("once more\n")
	terminal.Until(`\[answer\] Later`)
	terminal.Until(`\[turn\] completed`)
	terminal.Type("\x03")
	if got := code(); got != 0 {
		t.Errorf("exit %d", got)
	}
	terminal.Written()
	if text := strings.Split(terminal.Shown(), "\x1b]999")[0]; strings.Contains(text, "\x1b") {
		t.Errorf("there are escape sequences: %q", text)
	}
}

// TestPlainTerminated: a signal ends plain mode with its code, and the command with it.
func TestPlainTerminated(t *testing.T) {
	p := place(t, shell(stage.Family))
	held := stage.Holding(t, p.Work)
	c := plain(t, p, "--mode", "danger-full-access")
	c.write("go on\n")
	held.Started()
	c.process.Signal(syscall.SIGTERM)
	if code := c.process.Code(); code != 143 {
		t.Errorf("exit %d", code)
	}
	held.WantGone()
}

// TestPlainHost: plain mode works with a host, and its session goes on in the screen.
func TestPlainHost(t *testing.T) {
	p := place(t, "text From the host.\n")
	serve(t, p)
	c := plain(t, p)
	c.write("hello\n")
	c.want("[turn] completed")
	if err := c.process.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := c.process.Code(); code != 0 {
		t.Errorf("exit %d", code)
	}
	screen := start(t, p, "--resume", "latest")
	screen.Wait("hello")
	screen.Wait("From the host.")
	screen.leave()
}
