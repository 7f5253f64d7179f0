package sandbox

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// testTimeout limits each wait of a test for an event: it only ends a test that hangs, so a machine may be slow.
const testTimeout = 5 * time.Minute

// A transcript stores what a command writes; waitFor waits until it contains a text.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func newTranscript() *transcript { return &transcript{news: make(chan struct{}, 1)} }

func (w *transcript) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	return w.text.Write(p)
}

func (w *transcript) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func (w *transcript) waitFor(t *testing.T, what string) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	for !bytes.Contains([]byte(w.String()), []byte(what)) {
		select {
		case <-w.news:
		case <-limit.Done():
			t.Fatalf("the output does not contain %q: %q", what, w)
		}
	}
}

func newSpawner(t *testing.T, grace time.Duration) *Spawner {
	s := NewSpawner(Options{Grace: grace})
	t.Cleanup(s.Close)
	return s
}

// script returns a command that runs text with bash; $1, $2 … are args.
func script(w io.Writer, text string, args ...string) Command {
	return Command{
		Path: "/bin/bash", Args: append([]string{"-c", text, "script"}, args...),
		Dir: "/", Env: os.Environ(), Stdout: w, Stderr: w, Confine: Policy{Level: Full},
	}
}

func start(t *testing.T, ctx context.Context, s *Spawner, c Command) *Process {
	t.Helper()
	p, err := s.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs c, which must end without an interrupt.
func run(t *testing.T, s *Spawner, c Command) Exit {
	t.Helper()
	exit, ok := wait(t, start(t, t.Context(), s, c))
	if !ok || exit.Interrupted {
		t.Fatalf("it does not end by itself: %+v", exit)
	}
	return exit
}

// wait waits for the end of p; ok is false if it does not end.
func wait(t *testing.T, p *Process) (exit Exit, ok bool) {
	limit, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	select {
	case <-p.done:
		return p.Wait(), true
	case <-limit.Done():
		return Exit{}, false
	}
}

// A lifeline is a named pipe that processes have open for writing until they end.
type lifeline struct {
	path   string
	opened chan *os.File
}

func newLifeline(t *testing.T) *lifeline {
	t.Helper()
	l := &lifeline{path: filepath.Join(t.TempDir(), "lifeline"), opened: make(chan *os.File, 1)}
	if err := unix.Mkfifo(l.path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { // ends when the first process opens it
		f, err := os.Open(l.path)
		if err != nil {
			t.Error(err)
		}
		l.opened <- f
	}()
	return l
}

// awaitEnd waits until every process that had the lifeline open has ended.
func (l *lifeline) awaitEnd(t *testing.T) {
	t.Helper()
	f := <-l.opened
	defer f.Close()
	if err := f.SetReadDeadline(time.Now().Add(testTimeout)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(f); err != nil {
		t.Fatalf("a process still runs: %v", err)
	}
}

// awaitProcessEnd waits until the process of the pidfd handle has exited.
func awaitProcessEnd(t *testing.T, handle int) {
	t.Helper()
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, int(testTimeout.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		if n != 1 {
			t.Fatalf("the process does not end: %v", err)
		}
		return
	}
}
