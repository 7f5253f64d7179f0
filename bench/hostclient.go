package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/internal/dialect/dialogue"
)

// A hostClient is a client of a host, which speaks the native protocol.
type hostClient struct {
	lines
	asked int
}

// lines are the connection of a client: lines over a socket, or messages over WebSocket.
type lines interface {
	// line returns the next line, until the next call, and when it was read.
	line() ([]byte, time.Duration, error)
	write(line string) error
	SetReadDeadline(time.Time) error
	Close() error
}

// socket returns where clients of a host that runs in this place connect.
func (p *place) socket() string { return filepath.Join(p.root, "host.sock") }

// serving runs work with a host in this place that clients can connect to.
func (b *bench) serving(p *place, s subject, work func(*agent) error, args ...string) error {
	return b.in(p, s, func(a *agent) error {
		if _, err := a.ready(); err != nil {
			return err
		}
		return work(a)
	}, append([]string{"--socket", p.socket(), "--max-clients", "2000"}, args...)...)
}

// connect returns a new client of a host.
func (p *place) connect() (*hostClient, error) {
	conn, err := net.Dial("unix", p.socket())
	if err != nil {
		return nil, fmt.Errorf("connect to the host: %w", err)
	}
	c := &hostClient{lines: &unixLines{conn, bufio.NewReaderSize(conn, 16<<10)}}
	err = c.write(`{"parley":1,"dialect":"native"}`)
	if err == nil {
		_, _, err = c.until(dialogue.Marks{`{"ok":true}`}, nil)
	}
	return c.initialized(err)
}

// initialized returns the client after the handshake of the protocol, unless its connection failed before.
func (c *hostClient) initialized(err error) (*hostClient, error) {
	if err == nil {
		_, err = c.call("initialize", `"protocol":1,"client":{"name":"bench"}`)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *hostClient) close() { _ = c.Close() } // what it has said was read

// unixLines are lines over a Unix socket.
type unixLines struct {
	net.Conn
	from *bufio.Reader
}

func (u *unixLines) write(line string) error {
	_, err := u.Write([]byte(line + "\n"))
	return err
}

func (u *unixLines) line() ([]byte, time.Duration, error) {
	line, err := u.from.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		long := bytes.Clone(line)
		line, err = u.from.ReadBytes('\n')
		line = append(long, line...)
	}
	return line, mock.Now(), err
}

// ask sends a request, given the members of its params, and returns what its answer has.
func (c *hostClient) ask(method, members string) (dialogue.Marks, error) {
	c.asked++
	return dialogue.Marks{`"id":` + strconv.Itoa(c.asked) + `,`}, c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.asked, method, members))
}

// call sends a request and waits for its answer, which must not be an error.
func (c *hostClient) call(method, members string) ([]byte, error) {
	answer, err := c.ask(method, members)
	if err != nil {
		return nil, err
	}
	line, _, err := c.until(answer, nil)
	if err == nil && !bytes.Contains(line, []byte(`"result":`)) {
		err = fmt.Errorf("%s is answered with %.500s", method, line)
	}
	return line, err
}

// until reads up to a line with the marks, shows each line to see if that is not nil, and returns when the line came.
func (c *hostClient) until(m dialogue.Marks, see func([]byte, time.Duration)) ([]byte, time.Duration, error) {
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, 0, err
	}
	for {
		line, now, err := c.line()
		if err != nil {
			return nil, 0, fmt.Errorf("a client of the host waits for %q: %w", m, err)
		}
		if see != nil {
			see(line, now)
		}
		if m.In(line) {
			return line, now, nil
		}
	}
}

// create makes a session.
func (c *hostClient) create(p *place, id string) error {
	_, err := c.call("session/create", fmt.Sprintf(`"workspace":%q,"id":%q,"settings":{"mode":"danger-full-access"}`, p.work, id))
	return err
}

// follow opens a session and follows its records from now on.
func (c *hostClient) follow(id, transient string) error {
	line, err := c.call("session/open", fmt.Sprintf(`"session":%q`, id))
	if err != nil {
		return err
	}
	head, _ := dialogue.Field(`"head":`).Of(line)
	next, err := strconv.Atoi(string(head))
	if err != nil {
		return fmt.Errorf("session/open is answered with %.500s", line)
	}
	_, err = c.call("session/follow", fmt.Sprintf(`"session":%q,"from":%d,"transient":[%s]`, id, next+1, transient))
	return err
}

// prompt returns the members of a prompt.
func prompt(session, id string) string {
	return fmt.Sprintf(`"session":%q,"id":%q,"blocks":[{"kind":"text","text":"go on"}]`, session, id)
}

// turnEnded is in the record of the end of a turn.
var turnEnded = dialogue.Marks{`"method":"record"`, `"kind":"turn_ended"`}
