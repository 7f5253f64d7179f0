package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley.dev/parley/internal/terminal/terminaltest"
)

// TestTableOnTerminal: on a terminal a row of sessions list takes one line, and nothing in it
// controls the terminal.
func TestTableOnTerminal(t *testing.T) {
	home := t.TempDir()
	environ := append(os.Environ(), "HOME="+home, "PARLEY_HOME="+home+"/state", "PARLEY_MODEL=offline/demo")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := func(args ...string) *exec.Cmd {
		cmd := exec.Command(self, args...)
		cmd.Args[0] = "parley"
		cmd.Env, cmd.Dir = environ, home
		return cmd
	}
	title := "\x1b[2J" + strings.Repeat("a long title ", 20)
	if out, err := program("run", title).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	term := terminaltest.Open(t, 90, 24)
	if code := term.Start(program("sessions", "list"))(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	shown := strings.ReplaceAll(term.Until(`long title.*\n`), "\r", "")
	rows := strings.Split(strings.TrimSpace(shown), "\n")
	if len(rows) != 2 || !strings.HasSuffix(rows[1], "…") || len([]rune(rows[1])) != 90 || strings.Contains(shown, "\x1b") {
		t.Errorf("%q", rows)
	}
}
