package stage

import (
	"bufio"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// FailSync has each fsync of a process, and of those that it starts, fail with an error such as EIO until stop is called. Without strace, or the
// right to trace the process, the test is skipped.
func FailSync(t testing.TB, pid int, errno string) (stop func()) {
	t.Helper()
	program, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace here")
	}
	tracer := exec.Command(program, "-f", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error="+errno, "-o", "/dev/null", "-p", strconv.Itoa(pid))
	messages, err := tracer.StderrPipe()
	if err == nil {
		err = tracer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(messages)
	line, err := r.ReadString('\n')
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = tracer.Process.Signal(syscall.SIGINT) // it detaches
		_, _ = io.Copy(io.Discard, r)
		_ = tracer.Wait() // of a signal
	}
	t.Cleanup(stop)
	if err != nil || !strings.Contains(line, "attached") {
		t.Skipf("no process can be traced here: %s %v", line, err)
	}
	return stop
}
