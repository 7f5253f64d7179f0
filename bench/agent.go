package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/internal/dialect/dialogue"
)

// patience is how long any answer may take.
const patience = time.Minute

// An agent is a running subject.
type agent struct {
	subject
	cmd    *exec.Cmd
	place  *place
	stdin  *os.File
	stdout *os.File
	lines  *bufio.Reader
	stderr tail
	ended  chan struct{} // closed when the process is gone
	begun  time.Duration // when it was started
	first  []byte        // the line that reports that it is ready

	talk  dialogue.Client
	bytes int // of output
}

// launch starts a command and writes the hello; it waits for nothing.
func launch(s subject, p *place, cmd *exec.Cmd) (*agent, error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	a := &agent{subject: s, cmd: cmd, place: p, stdin: stdin, stdout: stdout, lines: bufio.NewReaderSize(stdout, 1<<20), ended: make(chan struct{}), talk: dialogue.Client{Dialect: s.Dialect, Session: s.Main, Dir: p.work}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &a.stderr
	cmd.WaitDelay = time.Second // what it has started may keep standard error open
	apart(cmd)
	a.begun = mock.Now()
	err = cmd.Start()
	in.Close()
	out.Close()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	go func() {
		defer close(a.ended)
		_ = cmd.Wait() // how it ended is in ProcessState
	}()
	for _, line := range s.Hello {
		if err := a.send(line); err != nil {
			a.kill()
			return nil, err
		}
	}
	return a, nil
}

// send writes a line, with its places filled.
func (a *agent) send(line string) error {
	if _, err := a.stdin.WriteString(a.talk.Fill(line, "go on") + "\n"); err != nil {
		return a.failed(fmt.Errorf("write: %w", err))
	}
	return nil
}

// line returns the next line and when it was read, until the next call.
func (a *agent) line() ([]byte, time.Duration, error) {
	line, err := a.lines.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		long := bytes.Clone(line)
		line, err = a.lines.ReadBytes('\n')
		line = append(long, line...)
	}
	now := mock.Now()
	a.bytes += len(line)
	return line, now, err
}

// until reads up to a line with the marks, shows each line to see if that is not nil, and says when it came.
func (a *agent) until(m dialogue.Marks, see func([]byte, time.Duration)) (line []byte, then time.Duration, err error) {
	if err := a.stdout.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, 0, err
	}
	var last []byte
	for {
		line, now, err := a.line()
		if err != nil {
			return nil, 0, a.failed(fmt.Errorf("waiting for %q after %.1000q: %w", m, last, err))
		}
		last = append(last[:0], line[:min(len(line), 1000)]...)
		if see != nil {
			see(line, now)
		}
		if allow, asked := a.talk.Allows(line); asked {
			if err := a.send(allow); err != nil {
				return nil, 0, err
			}
		}
		if m.In(line) {
			return line, now, nil
		}
	}
}

// ready waits for the first answer and says how long that took from the start.
func (a *agent) ready() (time.Duration, error) {
	line, then, err := a.until(a.First, nil)
	a.first = bytes.Clone(line)
	return then - a.begun, err
}

// begin makes a session for prompts, where there is none from the start.
func (a *agent) begin() error {
	if a.Open == "" || a.talk.Session != "" {
		return nil
	}
	return a.another()
}

// another opens one more session, to which prompts go from now on.
func (a *agent) another() error {
	if a.Counted {
		a.talk.Last++
		a.talk.Session = strconv.Itoa(a.talk.Last)
		return nil
	}
	if err := a.send(a.Open); err != nil {
		return err
	}
	line, _, err := a.until(dialogue.Marks{string(a.Opened)}, nil)
	if err == nil {
		a.talk.Enter(line)
	}
	return err
}

// modelText returns the text of a line that has some of the model's.
func (a *agent) modelText(line []byte) ([]byte, bool) {
	if !a.Delta.In(line) {
		return nil, false
	}
	return a.Text.Of(line)
}

// close ends the input and says how long the process took to end.
func (a *agent) close() (time.Duration, error) {
	begin := mock.Now()
	a.stdin.Close()
	go func() { _, _ = io.Copy(io.Discard, a.stdout) }() // it ends with the process
	select {
	case <-a.ended:
		took := mock.Now() - begin
		if code := a.cmd.ProcessState.ExitCode(); code != 0 {
			return took, a.failed(fmt.Errorf("exit code %d", code))
		}
		return took, nil
	case <-time.After(patience):
		a.kill()
		return 0, a.failed(fmt.Errorf("it does not end"))
	}
}

// kill ends the process and those it started, if they still run, and gives back the pipes.
func (a *agent) kill() {
	killAll(a.cmd.Process.Pid)
	<-a.ended
	a.stdin.Close()
	a.stdout.Close()
}

func (a *agent) failed(err error) error {
	if text := a.stderr.String(); text != "" {
		err = fmt.Errorf("%w; it says: %s", err, text)
	}
	return fmt.Errorf("%s: %w", a.Name, err)
}

// tailSize is how much of standard error is kept, in bytes.
const tailSize = 2000

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(len(t.text)-tailSize, 0):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
