package e2e

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A held is a named pipe that a command of the shell tool, and all it started, have open
// for writing: it says when they run, and its end says that none of them is left.
type held struct {
	t     testing.TB
	lines chan string // what is written, closed at the end
}

// holding makes the pipe hold in the workspace of p.
func holding(t testing.TB, p *place) *held {
	t.Helper()
	path := filepath.Join(p.work, "hold")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	h := &held{t, make(chan string, 16)}
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
	t.Cleanup(func() { // whoever still waits for a writer gets one
		if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
	})
	return h
}

// family is a command with a child and a child that left for a session of its own; all of
// them hold the pipe, and tell when they are there.
const family = `{ sleep 1000 & setsid sleep 1000 & echo started >&3; wait; } 3>hold`

// stubborn does not end on SIGTERM, but tells of it.
const stubborn = `exec 3>hold; trap 'echo asked >&3' TERM; echo started >&3; while :; do sleep 1000 & wait; done`

// started waits until the command is under way.
func (h *held) started() {
	h.t.Helper()
	h.wantLine("started")
}

// asked waits until a stubborn command got its SIGTERM.
func (h *held) asked() {
	h.t.Helper()
	h.wantLine("asked")
}

func (h *held) wantLine(want string) {
	h.t.Helper()
	if line := await(h.t, h.lines, "the command to say "+want); line != want {
		h.t.Fatalf("the pipe says %q, want %q", line, want)
	}
}

// wantGone waits until nobody holds the pipe any more.
func (h *held) wantGone() {
	h.t.Helper()
	if line := await(h.t, h.lines, "every process of the command to end"); line != "" {
		h.t.Fatalf("the pipe says %q", line)
	}
}

// drain reads all that is left to read.
func drain(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
