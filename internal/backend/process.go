package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/wire"
)

const (
	// Grace is how long an agent may take to end a turn that is interrupted.
	Grace = 10 * time.Second
	// StartLimit is how long an agent may take until a session can be used, Silence how long it may say nothing in a turn, where
	// the configuration does not say.
	StartLimit = 30 * time.Second
	Silence    = 10 * time.Minute
	// MaxLine is the longest line of an agent, in bytes.
	MaxLine = 64 << 20

	exitWait  = 2 * time.Second // for the end of a process whose input has ended
	writeWait = 10 * time.Second
	stderrEnd = 8 << 10 // bytes of standard error that messages have at most
	maxNoise  = 100     // lines in a row that are no JSON
)

// A Program is what to start.
type Program struct {
	Backend string   // name in the configuration
	Path    string   // absolute
	Args    []string // without the program
	Dir     string   // absolute
	Env     []string
	Secrets []string // values that no message may contain
	Confine sandbox.Policy
	Spawner *sandbox.Spawner
	Log     func(line string) // what is no message; nil: it is dropped
	Grace   time.Duration     // how long it may take to end a turn that is interrupted; 0: Grace
	MaxLine int               // the longest line of it, in bytes; 0: MaxLine
}

// A Process is a running agent that reads and writes lines.
type Process struct {
	program   Program
	stdin     *os.File
	lines     *wire.Reader
	unread    *io.PipeReader
	words     *stderrTail
	interrupt context.CancelFunc
	gone      chan struct{} // closed when it has ended and exit is set
	exit      sandbox.Exit
	writing   sync.Mutex
	closing   sync.Once
}

// Start starts a program. The error is an *Error with CodeStart.
func Start(p Program) (*Process, error) {
	p.Grace, p.MaxLine = cmp.Or(p.Grace, Grace), cmp.Or(p.MaxLine, MaxLine)
	stdin, toStdin, err := os.Pipe()
	if err != nil {
		return nil, p.failure(CodeStart, err.Error())
	}
	defer stdin.Close()
	fromStdout, stdout := io.Pipe()
	running, interrupt := context.WithCancel(context.Background()) // it outlives the turn that it is started in
	g := &Process{program: p, stdin: toStdin, lines: wire.NewReader(fromStdout, p.MaxLine), unread: fromStdout, words: &stderrTail{log: lineLog(p.Log)}, interrupt: interrupt, gone: make(chan struct{})}
	process, err := p.Spawner.Start(running, sandbox.Command{
		Path: p.Path, Args: p.Args, Dir: p.Dir, Env: p.Env, Stdin: stdin, Stdout: stdout, Stderr: g.words, Confine: p.Confine,
		StdoutEnd: func() { _ = stdout.Close() }, // what it wrote before is read
	})
	if err != nil {
		interrupt()
		_ = toStdin.Close()
		return nil, p.failure(CodeStart, err.Error())
	}
	go func() {
		g.exit = process.Wait()
		_ = stdout.Close()
		close(g.gone)
	}()
	return g, nil
}

// failure returns an error of this program, without secrets.
func (p Program) failure(code Code, message string) *Error {
	for _, secret := range p.Secrets {
		if secret != "" {
			message = strings.ReplaceAll(message, secret, "***")
		}
	}
	return &Error{p.Backend, code, message}
}

// Failure returns an error of this process, with the end of what it wrote to standard error.
func (g *Process) Failure(code Code, message string) *Error {
	if words := g.words.String(); words != "" {
		message += "; it says: " + words
	}
	return g.program.failure(code, message)
}

// MaxLine returns the length of the longest line that Next returns, in bytes.
func (g *Process) MaxLine() int { return g.program.MaxLine }

// ErrNoise is of a process that writes what is no message.
var ErrNoise = errors.New("it writes lines that are no messages")

// Next returns the next line that may be a JSON object, valid until the next call. io.EOF: the process has ended its output.
func (g *Process) Next() ([]byte, error) {
	for noise := 0; ; noise++ {
		line, err := g.lines.Next()
		if err != nil {
			return nil, err
		}
		if line[0] == '{' {
			return line, nil
		}
		if noise == maxNoise {
			return nil, ErrNoise
		}
		g.words.log.line(string(line[:min(len(line), 1000)]))
	}
}

// Write writes a line. One that the process does not read for long is an error.
func (g *Process) Write(line []byte) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	if err := g.stdin.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	_, err := g.stdin.Write(append(line, '\n'))
	return err
}

// Ended is closed when the process has ended.
func (g *Process) Ended() <-chan struct{} { return g.gone }

// Exit returns how the process has ended, as a clause, once Ended is closed.
func (g *Process) Exit() string {
	switch {
	case g.exit.Killed != nil:
		return "its process was killed: " + g.exit.Killed.Error()
	case g.exit.Signal != "":
		return "its process was ended by " + g.exit.Signal
	case g.exit.Interrupted:
		return "its process was stopped"
	}
	return fmt.Sprintf("its process has ended with code %d", g.exit.Code)
}

// Gone returns the failure of a process that has ended its output. One that does not end soon is killed.
func (g *Process) Gone() *Error {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-g.gone:
		return g.Failure(CodeGone, g.Exit())
	case <-timer.C:
		g.Kill()
		return g.Failure(CodeGone, "it has closed its output")
	}
}

// Close ends the process, and all that it has started: the end of its input, then SIGTERM, then SIGKILL.
func (g *Process) Close() {
	g.closing.Do(func() {
		_ = g.stdin.Close()
		go func() { _, _ = io.Copy(io.Discard, g.unread) }() // it may wait for a reader; it ends with the process
		timer := time.NewTimer(exitWait)
		defer timer.Stop()
		select {
		case <-g.gone:
		case <-timer.C:
		}
		g.interrupt()
	})
	<-g.gone
}

// Kill ends the process now.
func (g *Process) Kill() {
	g.interrupt()
	g.Close()
}

// A lineLog receives lines; nil: they are dropped.
type lineLog func(string)

func (l lineLog) line(text string) {
	if l != nil {
		l(text)
	}
}

// A stderrTail keeps the end of standard error.
type stderrTail struct {
	log lineLog

	mu   sync.Mutex
	text []byte
}

func (t *stderrTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-stderrEnd):]
	return len(p), nil
}

// String returns the last lines, as valid UTF-8.
func (t *stderrTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD"))
}
