package acp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
)

// A client is one that reads only when a test says so.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Reader
	code  chan int
	last  int // id
}

// dialInProcess starts a process with these arguments, and initializes the connection.
func dialInProcess(t *testing.T, env []string, args ...string) *client {
	t.Helper()
	return dial(t, func(in io.Reader, out io.Writer) int {
		return serveInProcess(context.Background(), append([]string{"acp"}, args...), in, out, io.Discard, env)
	})
}

// dial connects a client to what serves it.
func dial(t *testing.T, serve func(in io.Reader, out io.Writer) int) *client {
	t.Helper()
	c := dialEarly(t, serve)
	c.call("initialize", `{"protocolVersion":1,"clientCapabilities":{"session":{"compaction":{},"notices":{}}}}`, nil)
	return c
}

// dialEarly connects a client that has not initialized the connection.
func dialEarly(t *testing.T, serve func(in io.Reader, out io.Writer) int) *client {
	t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &client{t: t, in: stdin, lines: bufio.NewReader(stdout), code: make(chan int, 1)}
	go func() {
		c.code <- serve(in, out)
		in.Close()
		out.Close()
	}()
	return c
}

// send sends a line.
func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// request sends a request and returns its id.
func (c *client) request(method, params string) (id string) {
	c.t.Helper()
	c.last++
	id = fmt.Sprint(c.last)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// next returns the next line.
func (c *client) next() frame {
	c.t.Helper()
	line, err := c.lines.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	return readFrame(bytes.TrimSpace(line))
}

// until returns the first frame that fits; each gets those before it.
func (c *client) until(fits func(frame) bool, each func(frame)) frame {
	c.t.Helper()
	for {
		f := c.next()
		if fits(f) {
			return f
		}
		if each != nil {
			each(f)
		}
	}
}

// await returns the answer to a request; each gets the frames before it.
func (c *client) await(id string, each func(frame)) frame {
	c.t.Helper()
	return c.until(func(f frame) bool { return f.Method == "" && string(f.ID) == id }, each)
}

// call is request and await.
func (c *client) call(method, params string, each func(frame)) frame {
	c.t.Helper()
	return c.await(c.request(method, params), each)
}

// list returns all sessions of a list.
func (c *client) list(params string) []SessionInfo {
	c.t.Helper()
	return c.call("session/list", params, nil).Result.Sessions
}

// prompt sends a prompt and waits for the end of its turn.
func (c *client) prompt(session, text string) frame {
	c.t.Helper()
	return c.call("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text), nil)
}

// close ends the input, reads the rest and waits for the end.
func (c *client) close() {
	c.t.Helper()
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.lines)
	if code := <-c.code; code != 0 {
		c.t.Errorf("exit code %d", code)
	}
}
