package watchdog

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/internal/boottime"
)

var errLease = errors.New("the store could not be reached")

const limit = time.Hour

// startCommand starts a process that runs until it is killed, under a Watchdog.
func startCommand(t *testing.T, w *Watchdog) (c *Command, process *exec.Cmd) {
	t.Helper()
	c, err := w.Command("mark;")
	if err != nil {
		t.Fatal(err)
	}
	process = exec.Command("sleep", "1000")
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	c.Started(process.Process.Pid)
	t.Cleanup(func() {
		c.Remove()
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	return c, process
}

// newWatchdog returns one with start, which is renewed.
func newWatchdog(t *testing.T, start Starter) *Watchdog {
	w := New(limit, errLease, start)
	t.Cleanup(w.Close)
	w.Renew(boottime.Now())
	return w
}

// pids returns the numbers of its processes.
func (w *Watchdog) pids() (found []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.children {
		if c != nil {
			found = append(found, c.process.Pid)
		}
	}
	return found
}

// Commands are killed when both processes have ended and no other can be started.
func TestNoProcess(t *testing.T) {
	allowed, problem := 2, errors.New("there is no memory")
	w := newWatchdog(t, func(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
		if allowed--; allowed < 0 {
			return nil, problem
		}
		return os.StartProcess(path, args, attr)
	})
	c, process := startCommand(t, w)
	for _, pid := range w.pids() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if state, err := process.Process.Wait(); err != nil || state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("%v, %v", state, err)
	}
	if err := c.Err(); !errors.Is(err, problem) || !strings.Contains(err.Error(), "watchdog") {
		t.Errorf("it was killed: %v", err)
	}
	if _, err := w.Command("other;"); !errors.Is(err, problem) {
		t.Errorf("another command: %v", err)
	}
	allowed = 2
	if _, err := w.Command("third;"); err != nil {
		t.Errorf("when it can be started again: %v", err)
	}
}

// A program that is not a watchdog guards nothing, as when the file of this program was replaced.
func TestOtherProgram(t *testing.T) {
	w := newWatchdog(t, func(_ string, _ []string, attr *os.ProcAttr) (*os.Process, error) {
		return os.StartProcess("/bin/true", []string{"true"}, attr)
	})
	if _, err := w.Command("mark;"); err == nil || !strings.Contains(err.Error(), "watchdog of commands cannot be started") {
		t.Errorf("a command: %v", err)
	}
}

// A process that does not answer, since it is stopped, is replaced at a renewal.
func TestSilentProcess(t *testing.T) {
	w := newWatchdog(t, os.StartProcess)
	startCommand(t, w)
	first := w.pids()
	if err := syscall.Kill(first[1], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.children[1].unanswered, w.children[1].since = 1, boottime.Now()-limit/2
	w.mu.Unlock()
	w.Renew(boottime.Now())
	second := w.pids()
	if len(second) != 2 || second[0] != first[0] || second[1] == first[1] {
		t.Errorf("%v, then %v", first, second)
	}
}

// A command that was being started when the limit passed is killed once its group is known.
func TestStartedLate(t *testing.T) {
	w := New(limit, errLease, os.StartProcess)
	t.Cleanup(w.Close)
	c, err := w.Command("mark;")
	if err != nil {
		t.Fatal(err)
	}
	w.Renew(boottime.Now() - limit)
	w.Renew(boottime.Now())
	process := exec.Command("sleep", "1000")
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	c.Started(process.Process.Pid)
	_ = process.Wait()
	if err := c.Err(); err != errLease {
		t.Errorf("it was killed: %v", err)
	}
	c.Remove()
}

func TestNilWatchdog(t *testing.T) {
	var w *Watchdog
	w.Renew(boottime.Now())
	c, err := w.Command("mark;")
	c.Started(os.Getpid())
	c.Remove()
	w.Close()
	if err != nil || c.Err() != nil {
		t.Errorf("%v, %v", err, c.Err())
	}
}
