//go:build unix

package watchdog

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// A Starter starts a process, as os.StartProcess does.
type Starter func(path string, args []string, attr *os.ProcAttr) (*os.Process, error)

const (
	writeTimeout = time.Second      // for a process that does not read
	startTimeout = 10 * time.Second // until a new process answers
)

// A child is one of the processes, seen from this one.
type child struct {
	process *os.Process
	in, out *os.File // its stdin and stdout

	unanswered int           // renewals
	since      time.Duration // when the first of them was sent
}

// startChild starts this program as a watchdog. It has no files of this process but its two pipes, and no signal to this process's
// session or group reaches it.
func startChild(start Starter) (*child, error) {
	program, err := ownProgram()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer stdout.Close()
	process, err := start(program, []string{"parley-watchdog"}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{variable + "=1", "GOMAXPROCS=1"},
		Files: []*os.File{stdin, stdout, null},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	return &child{process: process, in: in, out: out}, nil
}

// register sends what is known of a command.
func (c *child) register(command *Command) error {
	if command.group == 0 {
		return c.write(lineStart, command.mark)
	}
	return c.write(lineGroup, command.mark, command.group)
}

func (c *child) remove(command *Command) error { return c.write(lineEnd, command.mark) }

// renew sends a new deadline. The process answers with one byte.
func (c *child) renew(until, now time.Duration) error {
	if c.unanswered == 0 {
		c.since = now
	}
	c.unanswered++
	return c.write(lineUntil, until.Nanoseconds())
}

func (c *child) write(words ...any) error {
	if err := c.in.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(c.in, words...)
	return err
}

// silent reports whether the process has not answered for longer than a limit: it is stopped.
func (c *child) silent(now, limit time.Duration) bool { return c.unanswered > 0 && now-c.since > limit }

// awaitAnswer waits for the answer of a new process to its first renewal. It has the limit of startTimeout, since a program that is
// not a watchdog does not answer.
func (c *child) awaitAnswer() error {
	if err := c.out.SetReadDeadline(time.Now().Add(startTimeout)); err != nil {
		return err
	}
	n, err := c.read()
	c.unanswered -= n
	if err != nil {
		return fmt.Errorf("its process does not answer: %w", err)
	}
	return c.out.SetReadDeadline(time.Time{})
}

// read returns the number of answers that it has read. The error means that the process has ended.
func (c *child) read() (answers int, err error) {
	var buffer [64]byte
	n, err := c.out.Read(buffer[:])
	return strings.Count(string(buffer[:n]), "."), err
}

// end kills the process. It has nothing to do then: the groups that it knows get another, or have ended.
func (c *child) end() {
	_ = c.process.Kill()
	c.in.Close()
}

// reap waits for the end of a process that has ended its output or was killed.
func (c *child) reap() {
	_ = c.process.Kill()
	_, _ = c.process.Wait()
	c.out.Close()
}
