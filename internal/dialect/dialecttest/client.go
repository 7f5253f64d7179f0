package dialecttest

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Patience is how long anything may take that is waited for. Tests never wait for it to pass.
const Patience = time.Minute

// A Place is the fresh folders that processes of a test share.
type Place struct {
	Work, Home string
	Env        []string
}

// NewPlace makes folders below root, with a script for the offline model.
func NewPlace(t Tester, root, script string) *Place {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &Place{Work: filepath.Join(root, "work"), Home: filepath.Join(root, "home")}
	for _, dir := range []string{p.Work, p.Home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatalf("%v", err)
		}
	}
	path := filepath.Join(root, "model.script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	p.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "PARLEY_HOME=" + filepath.Join(p.Home, ".parley"), "PWD=" + p.Work, "LANG=C.UTF-8",
		"PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + path,
	}
	return p
}

// A Client talks to one process, in process.
type Client struct {
	Limit time.Duration // how long it waits for a line, and for the end

	t     Tester
	in    *io.PipeWriter
	lines chan string
	code  chan int
	stop  context.CancelFunc
}

// Dial starts a process.
func (p *Place) Dial(t Tester, serve Server, args ...string) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &Client{Limit: Patience, t: t, in: stdin, lines: make(chan string, 16), code: make(chan int, 1), stop: cancel}
	go func() {
		c.code <- serve(ctx, args, in, out, io.Discard, p.Env)
		in.Close()
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		for lines := bufio.NewReader(stdout); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return c
}

// Send writes text as it is.
func (c *Client) Send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// Next returns the next line; not ok at the end of the output.
func (c *Client) Next() (line string, ok bool) {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		return line, ok
	case <-time.After(c.Limit):
		c.t.Fatalf("nothing comes")
	}
	return "", false
}

// HangUp closes the input.
func (c *Client) HangUp() { c.in.Close() }

// Over waits for the end of the process, and is its exit code.
func (c *Client) Over() int {
	c.t.Helper()
	defer c.stop()
	select {
	case code := <-c.code:
		return code
	case <-time.After(c.Limit):
		c.t.Fatalf("the process does not end")
	}
	return -1
}
