package demo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"parley.dev/parley/internal/dialect/dialogue"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/provider"
)

// prompt is what the demo's clients send.
const prompt = "fix the failing test"

// flags are those that a dialect needs to ask in the way of the demo.
var flags = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"scaiflux": {"--permission-mode", "workspace-write"},
		"agentair": {"--single-permissions"},
	}
}}

// A client is the client of a dialect.
type client struct {
	dialogue.Client
	out      io.Writer // shows what is said
	to       io.Writer
	from     *bufio.Reader
	prompted bool
}

// names returns the names of the dialects, the default one first.
func names() (all []string) {
	for _, d := range dialogue.All {
		all = append(all, d.Name)
	}
	return all
}

// newClient returns the client of the dialect of that name.
func newClient(name string) (*client, bool) {
	d, ok := dialogue.Named(name)
	d.Args = slices.Concat(d.Args, flags.Get()[name])
	return &client{Client: dialogue.Client{Dialect: d, Session: d.Main}}, ok
}

// play starts the server, and returns after the turn and its end: a process, two pipes, JSON lines.
func (c *client) play(out io.Writer, workspace, state string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "$ parley %s\n", strings.Join(c.Args, " "))
	server := exec.Command(self, c.Args...)
	server.Dir = workspace
	server.Env = append(os.Environ(), "PARLEY_HOME="+state, "PARLEY_MODEL="+provider.DemoModel, "OTEL_SDK_DISABLED=true")
	server.Stderr = os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	c.Dir, c.out, c.to, c.from = workspace, out, stdin, bufio.NewReader(stdout)
	err = c.converse()
	err = errors.Join(err, stdin.Close()) // the end of input ends the server
	_, copied := io.Copy(io.Discard, stdout)
	return errors.Join(err, copied, server.Wait())
}

// converse sends the prompt, allows every call, and returns when the turn has ended.
func (c *client) converse() error {
	if err := c.send(c.Hello...); err != nil {
		return err
	}
	if c.First == nil {
		if err := c.begin(); err != nil {
			return err
		}
	}
	for {
		line, err := c.from.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the server ended before the turn did: %w", err)
		}
		fmt.Fprintf(c.out, "< %s", line)
		if ended, err := c.take(line); ended || err != nil {
			return err
		}
	}
}

// take answers a line of the server, and reports whether the turn has ended.
func (c *client) take(line []byte) (ended bool, err error) {
	switch allow, asked := c.Allows(line); {
	case asked:
		return false, c.send(allow)
	case c.First != nil && !c.prompted && c.First.In(line):
		return false, c.begin()
	case c.Session == "" && c.Open != "" && dialogue.Marks{string(c.Opened)}.In(line):
		c.Enter(line)
		return false, c.say()
	case c.Failed != nil && c.Failed.In(line), c.Ended.In(line) && !c.Completed.In(line):
		return false, fmt.Errorf("the turn failed: %s", line)
	}
	return c.prompted && c.Ended.In(line), nil
}

// begin opens a session where there is none from the start, and prompts it.
func (c *client) begin() error {
	if c.Open != "" && c.Session == "" {
		return c.send(c.Open)
	}
	return c.say()
}

// say sends the prompt.
func (c *client) say() error {
	c.prompted = true
	return c.send(c.Prompt)
}

func (c *client) send(lines ...string) error {
	for _, line := range lines {
		line = c.Fill(line, prompt)
		fmt.Fprintf(c.out, "> %s\n", strings.ReplaceAll(line, "\n", "\n> "))
		if _, err := io.WriteString(c.to, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}
