package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestExit(t *testing.T) {
	s := newSpawner(t, 0)
	for text, want := range map[string]Exit{
		"true":                              {},
		"exit 3":                            {Code: 3},
		"exit 300":                          {Code: 44},
		"kill -SEGV $$":                     {Code: -1, Signal: "SIGSEGV"},
		"trap 'exit 9' TERM\nkill -TERM $$": {Code: 9},
		"read -r line":                      {Code: 1}, // stdin is empty
	} {
		if exit := run(t, s, script(nil, text)); exit != want {
			t.Errorf("%s: %+v, want %+v", text, exit, want)
		}
	}
}

func TestOutput(t *testing.T) {
	s := newSpawner(t, 0)
	stdout, stderr, both := newTranscript(), newTranscript(), newTranscript()
	const text = "echo one; echo two >&2; echo three"

	c := script(stdout, text)
	c.Stderr = stderr
	run(t, s, c)
	if stdout.String() != "one\nthree\n" || stderr.String() != "two\n" {
		t.Errorf("apart: %q and %q", stdout, stderr)
	}
	c.Stderr = nil
	run(t, s, c)
	if stdout.String() != "one\nthree\none\nthree\n" {
		t.Errorf("without stderr: %q", stdout)
	}
	run(t, s, script(both, text))
	if both.String() != "one\ntwo\nthree\n" {
		t.Errorf("together: %q", both)
	}
}

// listeners is a writer of a type that cannot be compared.
type listeners []io.Writer

func (l listeners) Write(p []byte) (int, error) { return io.MultiWriter(l...).Write(p) }

func TestOutputOfUncomparableWriter(t *testing.T) {
	w := newTranscript()
	run(t, newSpawner(t, 0), script(listeners{w}, "echo out; echo err >&2"))
	if got := w.String(); !strings.Contains(got, "out\n") || !strings.Contains(got, "err\n") {
		t.Errorf("%q", got)
	}
}

type counter struct{ bytes atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return 0, errors.New("a listener that fails")
}

func TestFlood(t *testing.T) {
	const size = 200 << 20
	var c counter
	run(t, newSpawner(t, 0), script(&c, fmt.Sprintf("head -c %d /dev/zero", size)))
	if got := c.bytes.Load(); got != size {
		t.Errorf("%d bytes came through, want %d", got, size)
	}
}

func TestEnvironment(t *testing.T) {
	s := newSpawner(t, 0)
	w := newTranscript()
	c := script(w, `echo "$FRUIT $PWD $PARLEY_SPAWN"`)
	c.Dir, c.Env = "/usr", []string{"FRUIT=fig", "PWD=/elsewhere", "PARLEY_SPAWN=outer.1;"}
	run(t, s, c)
	if want := "fig /usr outer.1;" + s.id + ".1;\n"; w.String() != want {
		t.Errorf("%q, want %q", w, want)
	}
}

func TestNoInheritedFiles(t *testing.T) {
	fd, err := unix.Dup(2) // without close-on-exec, as an inherited file is
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	w := newTranscript()
	run(t, newSpawner(t, 0), script(w, `for fd in 0 1 2 "$1"; do test -e /proc/$$/fd/$fd && echo $fd; done`, fmt.Sprint(fd)))
	if w.String() != "0\n1\n2\n" {
		t.Errorf("these files are open: %q", w)
	}
}

func TestStartFails(t *testing.T) {
	s := newSpawner(t, 0)
	gone, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled before the start")
	cancel(cause)
	if _, err := s.Start(gone, script(nil, "true")); err != cause {
		t.Errorf("with an ended context: %v", err)
	}
	for name, spoil := range map[string]func(*Command){
		"no such file":   func(c *Command) { c.Path = "/nowhere/bash" },
		"stat /gone":     func(c *Command) { c.Dir = "/gone" },
		"not a dir":      func(c *Command) { c.Dir = "/etc/passwd" },
		"sandbox policy": func(c *Command) { c.Confine = Policy{} },
	} {
		c := script(newTranscript(), "true")
		spoil(&c)
		if _, err := s.Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// cleanUp is a script with a trap for SIGTERM. Its child is started before the trap is set: bash would
// otherwise discard a SIGTERM that reaches the child before it executes its program.
const cleanUp = "sleep 1000 & trap 'echo bye; exit 3' TERM; echo ready; wait"

func TestInterruptAllowsCleanUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newTranscript()
	p := start(t, ctx, newSpawner(t, testTimeout), script(w, cleanUp))
	w.waitFor(t, "ready")
	cancel()
	exit, ok := wait(t, p)
	if want := (Exit{Code: 3, Interrupted: true}); !ok || exit != want {
		t.Errorf("%+v, want %+v", exit, want)
	}
	if w.String() != "ready\nbye\n" {
		t.Errorf("%q", w)
	}
}

// The leader ends at once; another process of its group has the grace period to clean up.
func TestInterruptAllowsTheGroupToCleanUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newTranscript()
	p := start(t, ctx, newSpawner(t, testTimeout), script(w,
		`bash -c 'trap "sleep 0.2; echo bye; exit" TERM; sleep 1000 & until grep -q sleep /proc/$!/comm; do :; done; echo ready; wait' & wait`))
	w.waitFor(t, "ready")
	cancel()
	if exit, ok := wait(t, p); !ok || exit.Signal != "SIGTERM" {
		t.Errorf("%+v", exit)
	}
	if !strings.HasSuffix(w.String(), "bye\n") {
		t.Errorf("%q", w)
	}
}

func TestInterruptKillsAfterGrace(t *testing.T) {
	const grace = 100 * time.Millisecond
	life := newLifeline(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := newTranscript()
	p := start(t, ctx, newSpawner(t, grace), script(w, `trap '' TERM; exec 3>"$1"; echo ready; while :; do sleep 1000; done`, life.path))
	w.waitFor(t, "ready")
	cancelled := time.Now()
	cancel()
	exit, ok := wait(t, p)
	if want := (Exit{Code: -1, Signal: "SIGKILL", Interrupted: true}); !ok || exit != want {
		t.Errorf("%+v, want %+v", exit, want)
	}
	if took := time.Since(cancelled); took < grace {
		t.Errorf("killed after %v, before the grace of %v was over", took, grace)
	}
	life.awaitEnd(t)
}

func TestCloseInterrupts(t *testing.T) {
	s := NewSpawner(Options{Grace: testTimeout})
	w := newTranscript()
	p := start(t, t.Context(), s, script(w, "echo ready; exec sleep 1000"))
	w.waitFor(t, "ready")
	reaper := s.reaper.shell.Pid
	s.Close()
	if exit := p.Wait(); exit.Signal != "SIGTERM" || !exit.Interrupted {
		t.Errorf("%+v", exit)
	}
	if err := unix.Kill(reaper, 0); err != unix.ESRCH {
		t.Errorf("the reaper still runs: %v", err)
	}
	if _, err := s.Start(t.Context(), script(nil, "true")); err == nil {
		t.Error("a closed spawner starts")
	}
}

// A Spawner that started no command has no process, and starts none after Close.
func TestUnusedSpawnerCloses(t *testing.T) {
	s := NewSpawner(Options{})
	s.Close()
	if s.reaper.shell != nil || s.starter.requests != nil {
		t.Error("a process or thread was started without a command")
	}
	if _, err := s.Start(t.Context(), script(nil, "true")); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Start after Close: %v", err)
	}
	if s.reaper.shell != nil || s.starter.requests != nil {
		t.Error("a process or thread was started after Close")
	}
}

func BenchmarkCommand(b *testing.B) {
	s := NewSpawner(Options{})
	defer s.Close()
	w := newTranscript()
	for b.Loop() {
		p, err := s.Start(b.Context(), script(w, "true"))
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
	}
}

func BenchmarkPlainCommand(b *testing.B) {
	w := newTranscript()
	for b.Loop() {
		c := exec.Command("/bin/bash", "-c", "true")
		c.Stdout, c.Stderr = w, w
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
