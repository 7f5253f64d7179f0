package tui

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/terminal/terminaltest"
)

// This file has what happens to the terminal, and what the terminal does to the console.

// TestSignals: a signal ends the console with its code, the terminal is as before, and nothing that was started is left.
func TestSignals(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			p := place(t, shell(stage.Family))
			held := stage.Holding(t, p.Work)
			c := start(t, p, "--mode", "danger-full-access")
			c.send("begin")
			held.Started()
			if err := c.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			resumed(t, c.left(code))
			held.WantGone()
		})
	}
}

// TestKilledConsole: after kill -9 nothing that the console has started is left.
func TestKilledConsole(t *testing.T) {
	p := place(t, shell(stage.Family))
	held := stage.Holding(t, p.Work)
	c := start(t, p, "--mode", "danger-full-access")
	c.send("begin")
	held.Started()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	held.WantGone()
}

// TestWindowClosed: the console ends when its window is closed, with all that it has started.
func TestWindowClosed(t *testing.T) {
	p := place(t, shell(stage.Family))
	held := stage.Holding(t, p.Work)
	c := start(t, p, "--mode", "danger-full-access")
	c.send("begin")
	held.Started()
	c.Hang()
	if code := c.exit(); code != 129 {
		t.Errorf("exit %d", code)
	}
	held.WantGone()
}

// TestLeaveWhileRunning: leaving embedded says that a turn runs, and interrupts it; the session says so when it is resumed.
func TestLeaveWhileRunning(t *testing.T) {
	p := place(t, shell(stage.Family))
	held := stage.Holding(t, p.Work)
	c := start(t, p, "--mode", "danger-full-access")
	c.send("begin")
	held.Started()
	c.Press("ctrl+c")
	c.Wait("Press ctrl\\+c again to leave.*turn")
	c.Press("ctrl+c")
	text := c.left(0)
	if strings.Contains(text, "still running") {
		t.Errorf("embedded:\n%s", text)
	}
	id := resumed(t, text)
	held.WantGone()
	c = start(t, p, "--resume", id)
	c.Wait("Interrupted")
	c.leave()
}

// TestResize: the window changes its size while the model writes; the last frame fits, and the status is always there.
func TestResize(t *testing.T) {
	p := place(t, "repeat 3000 text \"word **bold** `code` \"\nnext\ntext Done.\n")
	c := start(t, p)
	c.send("write")
	for i := range 40 {
		c.Resize(uint16(20+(i*37)%280), uint16(5+(i*13)%95))
	}
	for _, size := range [][2]uint16{{20, 5}, {300, 100}, {40, 12}, {80, 24}} {
		c.Resize(size[0], size[1])
		c.status("idle")
	}
	c.send("again")
	c.Wait("Done.")
	c.leave()
}

// TestSmall: 20 columns and 5 rows are enough to send a prompt, to answer an approval and to leave.
func TestSmall(t *testing.T) {
	p := place(t, shell("echo done > out.txt")+"text Fine.\n")
	c := startSized(t, p, 20, 5, "--mode", "prompt")
	c.send("go on")
	c.status("waiting for you")
	c.picture("small", terminaltest.Dark)
	until(t, "the command", func() bool {
		if _, err := os.Stat(filepath.Join(p.Work, "out.txt")); err == nil {
			return true
		}
		c.Press("y")
		return false
	})
	c.status("idle")
	c.Resize(80, 24)
	c.Wait("Fine.")
	c.Press("ctrl+c")
	c.Wait("Press")
	c.Press("ctrl+c")
	c.left(0)
}

// TestPaste: what is pasted is never sent by its line feeds, and a megabyte arrives whole.
func TestPaste(t *testing.T) {
	p := place(t, "expect ^x[x\\n]*end$\ntext All of it.\n")
	c := start(t, p)
	c.Paste("one\ntwo\nthree")
	c.Wait("three")
	c.status("idle")
	c.Press("ctrl+c")
	c.WaitGone("three")
	c.Paste(strings.Repeat(strings.Repeat("x", 50)+"\n", 21_000) + "end")
	c.Wait(`\[paste 1: 21,?001 lines\]`)
	c.Press("enter")
	c.Wait("All of it.")
	c.status("idle")
	whole := false
	stage.EachFile(t, func(_ string, data []byte) {
		whole = whole || bytes.Contains(data, []byte(strings.Repeat(strings.Repeat("x", 50)+`\n`, 21_000)+`end"`))
	}, p.State())
	if !whole {
		t.Error("the journal does not have the whole text")
	}
	c.leave()
}

// foreign is text that would control the terminal.
var foreign = "\x1b]0;owned\x07\x1b[2J\x1b[1;1Hnowhere\x1b[?1049l\x1b]52;c;b3duZWQ=\x07\x1bc\x1b[31mred\x1b[0m\u202eevil\u2066x\u009b2Jx\x07\x08\x08"

// owned matches sequences in the output that text of others must not cause.
var owned = regexp.MustCompile(`owned|\x1bc|\x1b\]52|b3duZWQ|\x{202e}|\x{2066}|\x{9b}`)

// TestForeign: text of models, tools, files and names does not control the terminal.
func TestForeign(t *testing.T) {
	name := "a\x1b[2Jb\u202ec.txt"
	p := place(t, fmt.Sprintf("text %+q\ncall shell {\"command\":%s}\nnext\nthink %+q\ntext %+q\ncall write {\"path\":%s,\"content\":%s}\nnext\ntext Still here.\n",
		foreign, jsonText("cat foreign.txt #\x1b[2J\u202e"), foreign, "`"+foreign+"`", jsonText(name), jsonText(foreign)))
	p.Write(t, "foreign.txt", foreign)
	c := start(t, p, "--mode", "prompt")
	c.send("go on")
	c.Wait("y Allow once")
	c.contains("<U+202E>")
	c.answer("y", "Allowed")
	c.Wait("y Allow once")
	c.contains("<U+202E>")
	c.picture("foreign", terminaltest.Dark)
	c.answer("y", `(?s)Allowed.*Allowed`)
	c.Wait("Still here.")
	c.Press("ctrl+x")
	c.status("idle")
	if found := owned.FindString(c.Shown()); found != "" && !strings.Contains(found, "owned") {
		t.Errorf("the terminal gets %q", found)
	}
	if title := c.Title(); strings.Contains(title, "owned") {
		t.Errorf("the title is %q", title)
	}
	if !c.State().Alternate {
		t.Error("the screen is left")
	}
	c.Press("ctrl+x")
	c.leave()
}

func jsonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < 0x20 || r == '"' || r == '\\' || r > 0x7e && r < 0x10000 {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// colors are SGR sequences that set a color.
var colors = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;:]*m`)

// TestNoColor: with NO_COLOR no color is sent, also none of a command.
func TestNoColor(t *testing.T) {
	p := place(t, shell(`printf '\033[31mred\033[0m text\n'`)+"text # Title\ntext \"\\n\\n\"\ntext And **bold** `code`.\n")
	p.Env = append(p.Env, "NO_COLOR=1")
	c := start(t, p, "--mode", "danger-full-access")
	c.send("go on")
	c.Wait("red text")
	c.Wait("bold")
	c.picture("nocolor", terminaltest.Dark)
	c.leave()
	if found := colors.FindString(c.Shown()); found != "" {
		t.Errorf("a color is sent: %q", found)
	}
}

// TestArguments: what is wrong with the command line is one line on standard error, before the terminal is touched.
func TestArguments(t *testing.T) {
	p := place(t, "text Hello.\n")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--resume", "nosuch"}, 1, "nosuch"},
		{[]string{"--resume", "latest"}, 1, "there is no session in "},
		{[]string{"--workspace", "nowhere"}, 1, "nowhere"},
		{[]string{"--host", "unix:" + p.Root + "/none.sock"}, 1, "none.sock"},
		{[]string{"--host", "ws://127.0.0.1:1"}, 1, "PARLEY_TOKEN"},
		{[]string{"--mode", "fast"}, 2, "fast"},
		{[]string{"--nosuch"}, 2, "nosuch"},
		{[]string{"first", "second"}, 2, "second"},
		{[]string{"--resume", "nosuch", "--plain"}, 1, "nosuch"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			screen := terminaltest.OpenScreen(t, 100, 30)
			code := screen.Start(command(t, p, append([]string{"tui"}, test.args...)...))()
			screen.Written()
			text := screen.Shown()
			if code != test.code || !strings.Contains(text, test.want) || strings.Contains(strings.Split(text, "\x1b]999")[0], "\x1b") {
				t.Errorf("exit %d: %q", code, text)
			}
			if lines := strings.Count(text, "\n"); test.code == 1 && lines != 1 {
				t.Errorf("%d lines: %q", lines, text)
			}
		})
	}
}

// TestDefaultCommand: parley alone is the console on a terminal.
func TestDefaultCommand(t *testing.T) {
	p := place(t, "text Hello.\n")
	c := startCommand(t, command(t, p), 80, 24)
	c.send("hi")
	c.Wait("Hello.")
	c.leave()
}

// TestRemote: the console works with a host elsewhere, and finds it again after a lost connection.
func TestRemote(t *testing.T) {
	p := place(t, shell("echo far > out.txt")+"text From far away.\n")
	h := serve(t, p, "--listen", "127.0.0.1:0")
	token, err := os.ReadFile(h.Token)
	if err != nil {
		t.Fatal(err)
	}
	address := "ws" + strings.TrimPrefix(h.URLs[0], "http")
	here := stage.NewPlace(t) // another machine
	here.Env = append(here.Env, "PARLEY_TOKEN="+strings.TrimSpace(string(token)))
	c := start(t, here, "--host", address, "--workspace", p.Work, "--mode", "prompt")
	c.send("go on")
	c.answer("y", "Allowed")
	c.Wait("From far away.")
	exists(t, p, "out.txt")
	id := resumed(t, c.leave())
	c = start(t, here, "--host", address, "--resume", id)
	c.Wait("From far away.")
	c.leave()
	screen := terminaltest.OpenScreen(t, 100, 30)
	if code := screen.Start(command(t, here, "tui", "--host", address, "--workspace", "/no/such/folder"))(); code != 1 {
		t.Errorf("without a folder: exit %d", code)
	}
}

// TestEditor: ctrl+g opens the input in the editor, and the screen is there again.
func TestEditor(t *testing.T) {
	p := place(t, "expect ^begun and done$\ntext Got it.\n")
	editor := filepath.Join(p.Home, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf ' and done' >>\"$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "VISUAL="+editor+" --wait", "EDITOR=false")
	c := start(t, p)
	c.Press("begun")
	c.Wait("begun")
	c.Press("ctrl+g")
	c.Wait("begun and done")
	c.Press("enter")
	c.Wait("Got it.")
	c.leave()
}

// TestTmux: the console runs in a real terminal multiplexer.
func TestTmux(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	p := place(t, shell(`printf '\033[32mgreen\033[0m\n'`)+"text It is done.\n")
	cmd := command(t, p, "tui", "--mode", "prompt")
	socket := filepath.Join(p.Temp, "tmux")
	run := func(args ...string) string {
		t.Helper()
		tm := exec.Command(tmux, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		tm.Env, tm.Dir = append(cmd.Env, "SHELL=/bin/sh"), p.Work
		out, err := tm.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	shows := func(text string) {
		t.Helper()
		until(t, text, func() bool { return strings.Contains(run("capture-pane", "-p", "-t", "0"), text) })
	}
	run("new-session", "-d", "-x", "100", "-y", "30", strings.Join(cmd.Args, " ")+"; echo code $?; cat")
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", socket, "kill-server").Run() })
	shows("idle")
	run("send-keys", "-l", "go on")
	run("send-keys", "Enter")
	shows("y Allow once")
	until(t, "Allowed", func() bool {
		if strings.Contains(run("capture-pane", "-p", "-t", "0"), "It is done.") {
			return true
		}
		if strings.Contains(run("capture-pane", "-p", "-t", "0"), "y Allow once") {
			run("send-keys", "y")
		}
		return false
	})
	run("send-keys", "C-c")
	shows("Press ctrl+c again")
	run("send-keys", "C-c")
	shows("code 0")
	shows("parley tui --resume ")
}
