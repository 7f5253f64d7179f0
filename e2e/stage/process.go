package stage

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Process is a running program; the test has the other ends of its pipes.
type Process struct {
	Cmd    *exec.Cmd
	Stdin  *os.File
	Stdout *os.File
	Stderr *Notes
	Ended  chan struct{} // closed when the process is gone

	t testing.TB
}

// Launch starts cmd over pipes. It is killed when the test ends.
func Launch(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	in, stdin := Pipe(t)
	stdout, out := Pipe(t)
	p := &Process{Cmd: cmd, Stdin: stdin, Stdout: stdout, Stderr: &Notes{}, Ended: make(chan struct{}), t: t}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, p.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	go func() {
		defer close(p.Ended)
		_ = cmd.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.Ended
		if t.Failed() {
			t.Logf("standard error:\n%s", p.Stderr)
		}
	})
	return p
}

// Pipe returns a pipe that is closed when the test ends.
func Pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// Signal sends one; the process must be there.
func (p *Process) Signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.Cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// Kill is kill -9; it returns when the process is gone.
func (p *Process) Kill() {
	p.t.Helper()
	p.Signal(syscall.SIGKILL)
	<-p.Ended
}

// Code waits for the process and returns its exit code; -1 for a signal.
func (p *Process) Code() int {
	p.t.Helper()
	select {
	case <-p.Ended:
		return p.Cmd.ProcessState.ExitCode()
	case <-time.After(Patience):
		p.Signal(syscall.SIGQUIT) // it writes the stacks of its goroutines to standard error
		<-p.Ended
		p.t.Fatal("the process does not end")
		return -1
	}
}

// Size returns a size from a file of the process below /proc, such as VmHWM of status, the peak of
// resident memory; in bytes.
func (p *Process) Size(file, name string) int64 {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.Cmd.Process.Pid, file))
	if err != nil {
		p.t.Skipf("no figures of processes here: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		return kib << 10
	}
	p.t.Fatalf("%s has no %s", file, name)
	return 0
}

// Notes is standard error, written while the test may read.
type Notes struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed at the next Write; nil: no test waits
}

func (n *Notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
	return n.text.Write(p)
}

func (n *Notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// Await waits until a text was written so many times.
func (n *Notes) Await(t testing.TB, text string, times int) {
	t.Helper()
	for {
		count, changed := n.count(text)
		if count >= times {
			return
		}
		Await(t, changed, text)
	}
}

// count returns how often a text was written, and what is closed when more is written.
func (n *Notes) count(text string) (int, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed == nil {
		n.changed = make(chan struct{})
	}
	return bytes.Count(n.text.Bytes(), []byte(text)), n.changed
}
