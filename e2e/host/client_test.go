package host

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// A server is a running host.
type server struct {
	t       testing.TB
	process *stage.Process
	socket  string
	ready   ready
}

// ready is the line of a host that clients can connect to.
type ready struct {
	Ready     bool     `json:"ready"`
	PID       int      `json:"pid"`
	Socket    string   `json:"socket"`
	URLs      []string `json:"urls"`
	TokenFile string   `json:"token_file"`
	Web       string   `json:"web"`
}

// serve starts a host and waits until clients can connect.
func serve(t testing.TB, p *stage.Place, args ...string) *server {
	t.Helper()
	return started(t, stage.Launch(t, p.Command(t, append([]string{"serve", "--json"}, args...)...)))
}

// started waits until clients can connect.
func started(t testing.TB, process *stage.Process) *server {
	t.Helper()
	s := &server{t: t, process: process}
	if err := s.process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(s.process.Stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("no line that says that it is ready: %v; %s", err, s.process.Stderr)
	}
	if err := json.Unmarshal(line, &s.ready); err != nil || !s.ready.Ready || s.ready.PID != s.process.Cmd.Process.Pid {
		t.Fatalf("ready: %s (%v)", line, err)
	}
	s.socket = s.ready.Socket
	return s
}

// A client is one connection, which speaks the native protocol.
type client struct {
	t     testing.TB
	name  string
	conn  io.ReadWriteCloser
	lines *bufio.Reader
	asked int
	seen  []record // that came while an answer was waited for
}

// A message is any line of a host.
type message struct {
	ID     int            `json:"id"`
	Method string         `json:"method"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	} `json:"error"`
	Params struct {
		hostSession
		Record record `json:"record"`
		Client struct {
			N    int    `json:"n"`
			Name string `json:"name"`
		} `json:"client"`
		Reason string `json:"reason"`
	} `json:"params"`
}

// A hostSession is the params of host/session; other notifications have its first member, too.
type hostSession struct {
	Session string `json:"session"`
	Summary struct {
		Name  string `json:"name"`
		Turns int    `json:"turns"`
	} `json:"summary"`
	Open    bool   `json:"open"`
	Removed bool   `json:"removed"`
	Status  string `json:"status"`
	Head    int    `json:"head"`
	Waiting int    `json:"waiting"`
	Clients int    `json:"clients"`
}

// A record is one of a session.
type record struct {
	Seq  int            `json:"seq"`
	Turn string         `json:"turn"`
	Kind string         `json:"kind"`
	Data jsontext.Value `json:"data"`
}

// dial connects without a word.
func (s *server) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(stage.Patience)); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// client connects and begins.
func (s *server) client(name string) *client {
	s.t.Helper()
	conn := s.dial()
	c := &client{t: s.t, name: name, conn: conn, lines: bufio.NewReader(conn)}
	c.write(`{"parley":1,"dialect":"native"}`)
	if line, err := c.lines.ReadString('\n'); err != nil || line != `{"ok":true}`+"\n" {
		s.t.Fatalf("the preamble is answered with %q, %v", line, err)
	}
	c.must("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": name}}, nil)
	return c
}

func (c *client) write(line string) {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(line + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the next line; false when the connection has ended.
func (c *client) read() (message, bool) {
	c.t.Helper()
	line, err := c.lines.ReadBytes('\n')
	if err != nil {
		return message{}, false
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	return m, true
}

// next is read where the connection has to go on.
func (c *client) next(what string) message {
	c.t.Helper()
	m, ok := c.read()
	if !ok {
		c.t.Fatalf("%s: the connection ended before %s", c.name, what)
	}
	return m
}

// call sends a request and returns its answer.
func (c *client) call(method string, params map[string]any) message {
	c.t.Helper()
	c.asked++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.asked, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(line))
	for {
		m := c.next("the answer to " + method)
		if m.Method == "" && m.ID == c.asked {
			return m
		}
		if m.Method == "record" {
			c.seen = append(c.seen, m.Params.Record)
		}
	}
}

// must is call for a request that is not refused; its result is read into result.
func (c *client) must(method string, params map[string]any, result any) {
	c.t.Helper()
	m := c.call(method, params)
	if m.Error != nil {
		c.t.Fatalf("%s: %s: %s", c.name, method, m.Error.Message)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		c.t.Fatal(err)
	}
}

// follow begins to follow a session and returns its head.
func (c *client) follow(session string, from int) (head int) {
	c.t.Helper()
	var result struct {
		Head int `json:"head"`
	}
	c.must("session/follow", map[string]any{"session": session, "from": from}, &result)
	return result.Head
}

// prompt starts a turn.
func (c *client) prompt(session, id, text string) {
	c.t.Helper()
	c.must("turn/prompt", map[string]any{
		"session": session, "id": id, "blocks": []map[string]any{{"kind": "text", "text": text}},
	}, nil)
}

// record returns the next record.
func (c *client) record(what string) record {
	c.t.Helper()
	if len(c.seen) > 0 {
		first := c.seen[0]
		c.seen = c.seen[1:]
		return first
	}
	for {
		if m := c.next(what); m.Method == "record" {
			return m.Params.Record
		}
	}
}

// until reads records up to the first of that kind, and returns all of them.
func (c *client) until(kind string) []record {
	c.t.Helper()
	var all []record
	for {
		all = append(all, c.record(kind))
		if all[len(all)-1].Kind == kind {
			return all
		}
	}
}

// notified reads up to a notification.
func (c *client) notified(method string) message {
	c.t.Helper()
	for {
		m := c.next(method)
		if m.Method == method {
			return m
		}
		if m.Method == "record" {
			c.seen = append(c.seen, m.Params.Record)
		}
	}
}

// place returns a place whose model is the script.
func place(t *testing.T, script string) *stage.Place {
	t.Helper()
	p := stage.NewPlace(t)
	p.Plays(t, script)
	return p
}

// numbers returns the numbers of records.
func numbers(records []record) string {
	var list []int
	for _, r := range records {
		list = append(list, r.Seq)
	}
	return fmt.Sprint(list)
}
