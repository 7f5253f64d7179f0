package client

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// A Conn is a program and the pipes to it, in lines of text.
type Conn struct {
	*stage.Process // nil: only the output is there
	T              testing.TB
	Stdout         *os.File
	Lines          *bufio.Reader
	Bytes          int           // of output that was read
	Limit          time.Duration // how long a line may take; 0: stage.Patience
}

// Start starts cmd. It is killed when the test ends.
func Start(t testing.TB, cmd *exec.Cmd) *Conn {
	t.Helper()
	p := stage.Launch(t, cmd)
	c := NewConn(t, p.Stdout)
	c.Process = p
	return c
}

// NewConn returns a connection of which only the output is there.
func NewConn(t testing.TB, stdout *os.File) *Conn {
	return &Conn{T: t, Stdout: stdout, Lines: bufio.NewReaderSize(stdout, 1<<20)}
}

// Send writes one message.
func (c *Conn) Send(message any) {
	c.T.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		c.T.Fatal(err)
	}
	c.SendText(string(line) + "\n")
}

// SendText writes bytes as they are.
func (c *Conn) SendText(text string) {
	c.T.Helper()
	if _, err := c.Stdin.WriteString(text); err != nil {
		c.T.Fatalf("write: %v", err)
	}
}

// Line returns the next line; false at the end of the output.
func (c *Conn) Line() (string, bool) {
	c.T.Helper()
	if err := c.Stdout.SetReadDeadline(time.Now().Add(cmp.Or(c.Limit, stage.Patience))); err != nil {
		c.T.Fatal(err)
	}
	line, err := c.Lines.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		return "", false
	}
	if err != nil {
		c.T.Fatalf("read: %v after %.500q", err, line)
	}
	c.Bytes += len(line)
	return strings.TrimSuffix(line, "\n"), true
}

// Match reads up to a line that matches a pattern, and returns it.
func (c *Conn) Match(pattern string) string {
	c.T.Helper()
	wanted := regexp.MustCompile(pattern)
	for last := ""; ; {
		line, ok := c.Line()
		if !ok {
			c.T.Fatalf("the output ended before %s; the last line is %.500s", pattern, last)
		}
		if wanted.MatchString(line) {
			return line
		}
		last = line
	}
}

// Drain reads all output that is left.
func (c *Conn) Drain() { _, _ = io.Copy(io.Discard, c.Stdout) }

// Memory returns a size from the status of the process, such as VmHWM, the peak of resident memory; in bytes.
func (c *Conn) Memory(name string) int64 {
	c.T.Helper()
	return c.Size("status", name)
}

// Hangup closes both pipes, as the end of a client does.
func (c *Conn) Hangup() {
	c.Stdin.Close()
	c.Stdout.Close()
}

// A Reader reads the lines of a dialect.
type Reader[L any] struct {
	*Conn
	decode func(line string) (L, error)
}

// Next returns the next line; false at the end of the output.
func (r *Reader[L]) Next() (line L, ok bool) {
	r.T.Helper()
	text, ok := r.Line()
	if !ok {
		return line, false
	}
	line, err := r.decode(text)
	if err != nil {
		r.T.Fatalf("%v: %s", err, text)
	}
	return line, true
}

// ReadTo reads up to the first line for which found holds, and returns all of them.
func (r *Reader[L]) ReadTo(what string, found func(L) bool) []L {
	r.T.Helper()
	var all []L
	for {
		line, ok := r.Next()
		if !ok {
			r.T.Fatalf("the output ended after %d lines, before %s; %s", len(all), what, r.Stderr)
		}
		if all = append(all, line); found(line) {
			return all
		}
	}
}

// Rest reads to the end of the output, and returns the exit code with it.
func (r *Reader[L]) Rest() (all []L, code int) {
	r.T.Helper()
	for {
		line, ok := r.Next()
		if !ok {
			return all, r.Code()
		}
		all = append(all, line)
	}
}

// Quit closes the input and wants exit code 0; it returns what came before the end.
func (r *Reader[L]) Quit() []L {
	r.T.Helper()
	r.Stdin.Close()
	all, code := r.Rest()
	if code != 0 {
		r.T.Errorf("exit code %d", code)
	}
	return all
}
