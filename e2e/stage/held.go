//go:build unix

package stage

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A Held is a named pipe that a command of the shell tool, and all it started, have open
// for writing: it says when they run, and its end says that none of them is left.
type Held struct {
	t     testing.TB
	lines chan string // what is written, closed at the end
}

// Holding makes the pipe hold in a workspace.
func Holding(t testing.TB, workspace string) *Held {
	t.Helper()
	path := filepath.Join(workspace, "hold")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	h := &Held{t, make(chan string, 16)}
	go func() {
		defer close(h.lines)
		f, err := os.Open(path) // waits for a writer
		if err != nil {
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			h.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() { // a reader that still waits for a writer gets one
		if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
	})
	return h
}

// Family is a command with a child and a child in a Unix session of its own; all of
// them have the pipe open, and the command writes when they are there.
const Family = `{ sleep 1000 & setsid sleep 1000 & echo started >&3; wait; } 3>hold`

// Stubborn does not end on SIGTERM, but reports it.
const Stubborn = `exec 3>hold; trap 'echo asked >&3' TERM; echo started >&3; while :; do sleep 1000 & wait; done`

// Started waits until the command is under way.
func (h *Held) Started() {
	h.t.Helper()
	h.WantLine("started")
}

// Asked waits until a stubborn command got its SIGTERM.
func (h *Held) Asked() {
	h.t.Helper()
	h.WantLine("asked")
}

// WantLine waits for a line, and wants it to be this one.
func (h *Held) WantLine(want string) {
	h.t.Helper()
	if line := Await(h.t, h.lines, "the command to say "+want); line != want {
		h.t.Fatalf("the pipe says %q, want %q", line, want)
	}
}

// WantGone waits until no process has the pipe open.
func (h *Held) WantGone() {
	h.t.Helper()
	if line := Await(h.t, h.lines, "every process of the command to end"); line != "" {
		h.t.Fatalf("the pipe says %q", line)
	}
}
