package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
)

// patience is how long a line of a client may take. Tests never wait for it to pass.
const patience = time.Minute

// A testHost is a host in this process, with the servers of all dialects on a socket, and an endpoint of models that the test
// directs.
type testHost struct {
	t      testing.TB
	app    *app.App
	host   *host.Host
	shared hosting
	// sharing can be changed before the first client connects.
	sharing *engine.Sharing
	work    string // a workspace
	socket  string
	model   *testModel
	log     *testLog
	close   func() error // the host, once
}

// newTestHost starts a host. It is closed when the test ends. Change, if not nil, changes its options.
func newTestHost(t testing.TB, change func(*host.Options)) *testHost {
	t.Helper()
	root, err := os.MkdirTemp("", "host") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	h := &testHost{t: t, work: filepath.Join(root, "work"), model: newTestModel(t), log: &testLog{}}
	h.sharing = &engine.Sharing{Left: engine.WaitWhenLeft, Idle: time.Hour}
	if err := os.Mkdir(h.work, 0o700); err != nil {
		t.Fatal(err)
	}
	getenv := configtest.Environment("HOME", root, "PARLEY_HOME", filepath.Join(root, "state"), "PARLEY_MODEL", "groq/test",
		"GROQ_BASE_URL", h.model.server.URL, "GROQ_API_KEY", "key")
	settings, err := config.Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	settings.Grace = time.Second
	h.app, err = app.New(settings, app.Options{
		Version: "0.0.0-test", Sharing: h.sharing, Getenv: getenv, Embedded: true,
		Log: slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.Open(token.Path(h.app.Settings.Home))
	if err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(audit.Path(h.app.Settings.Home))
	if err != nil {
		t.Fatal(err)
	}
	h.shared = hosting{info: hostInfo(), tokens: tokens, audit: log, drain: time.Minute, clients: func() int { return h.host.Clients() }, draining: &atomic.Bool{}}
	o := host.Options{
		Audit: log, Home: h.app.Settings.Home, MaxClients: 10_000, Drain: 0, Log: h.app.Log, Wait: h.app.Host.WaitIdle, End: h.app.Host.Close, Dialects: speakers(h.app, h.shared),
	}
	if change != nil {
		change(&o)
	}
	if h.host, err = host.Open(o); err != nil {
		t.Fatal(err)
	}
	h.socket = host.SocketPath(h.app.Settings.Home)
	listener, err := host.Listen(h.socket)
	if err != nil {
		t.Fatal(err)
	}
	go h.host.Serve(listener)
	h.close = sync.OnceValue(func() error { return h.host.Close(listener) })
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
		if err := h.app.Host.Close(context.Background()); err != nil {
			t.Error(err)
		}
		tokens.Close()
		_ = log.Close()
		h.app.Close()
		if t.Failed() {
			t.Logf("log of the host:\n%s", h.log.text())
		}
	})
	return h
}

// A testClient is a client of a testHost. It reads all the time.
type testClient struct {
	t    testing.TB
	kind *clientKind
	name string
	conn net.Conn
	dir  string

	handle string // what names the session on the connection, if its id does not
	ids    int    // of requests that were used

	mu      sync.Mutex
	changed chan struct{} // closed with the next line
	lines   []string
	ended   bool
	sent    []string
	next    int // the first line that no await has returned
}

// dial connects a client of a kind. Session is what its command line and its lines name.
func (h *testHost) dial(kind *clientKind, session string) *testClient {
	h.t.Helper()
	c := &testClient{t: h.t, kind: kind, name: kind.name, dir: h.work, changed: make(chan struct{})}
	if kind.role != "" {
		c.conn = h.dialToken(kind)
	} else {
		conn, err := net.Dial("unix", h.socket)
		if err != nil {
			h.t.Fatal(err)
		}
		c.conn = conn
		args := make([]string, len(kind.args))
		for i, arg := range kind.args {
			args[i] = c.fill(arg, session)
		}
		c.send(string(mustJSON(host.Preamble{Parley: 1, Dialect: kind.dialect, Args: args, Cwd: h.work, Env: kind.env})))
	}
	h.t.Cleanup(func() { c.conn.Close() })
	go c.read()
	if kind.role == "" && kind.enter != nil {
		c.await(`"ok":true`)
	}
	for _, line := range kind.hello {
		c.send(c.fill(line, session))
	}
	return c
}

// dialToken connects a client of the network, with a token of the kind's role.
func (h *testHost) dialToken(kind *clientKind) net.Conn {
	h.t.Helper()
	listener, err := net.Listen("unix", fmt.Sprintf("%s.%d", h.socket, dialed.Add(1)))
	if err != nil {
		h.t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		h.t.Fatal(err)
	}
	leave, err := h.host.Enter()
	if err != nil {
		h.t.Fatal(err)
	}
	serve, err := h.host.Dialect(context.Background(), host.Conn{
		Preamble: host.Preamble{Parley: 1, Dialect: kind.dialect, Args: kind.args, Cwd: h.work}, In: server, Out: server, Stop: h.host.Stop(),
		Token: &token.Info{ID: "t", Role: kind.role, Name: kind.name},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	go func() {
		defer leave()
		defer server.Close()
		_, _ = serve()
	}()
	return client
}

var dialed atomic.Int64

func (c *testClient) read() {
	lines := bufio.NewReaderSize(c.conn, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		c.take(strings.TrimSuffix(line, "\n"), err)
		if err != nil {
			return
		}
	}
}

// take stores a line, or the end.
func (c *testClient) take(line string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.ended = true
	} else {
		c.lines = append(c.lines, line)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// fill returns a line with its places filled; see [dialogue.Dialect].
func (c *testClient) fill(line, session string) string {
	return strings.NewReplacer("$SESSION", session, "$DIR", c.dir).Replace(line)
}

// send writes a line. A connection that has ended is no error: the reader notices it.
func (c *testClient) send(line string) {
	c.mu.Lock()
	c.sent = append(c.sent, line)
	c.mu.Unlock()
	_, _ = io.WriteString(c.conn, line+"\n")
}

// await waits for a line with all marks, after the one that the last call returned.
func (c *testClient) await(marks ...string) string {
	c.t.Helper()
	return c.awaitAny(func(line string) bool { return hasAll(line, marks) }, fmt.Sprintf("a line with %q", marks))
}

// hasAll reports whether a line has all marks.
func hasAll(line string, marks []string) bool {
	for _, mark := range marks {
		if !strings.Contains(line, mark) {
			return false
		}
	}
	return true
}

// awaitAny waits for a line that is wanted, after the one that the last call returned.
func (c *testClient) awaitAny(wanted func(string) bool, what string) (found string) {
	c.t.Helper()
	c.until(what, func() bool {
		for c.next < len(c.lines) {
			c.next++
			if wanted(c.lines[c.next-1]) {
				found = c.lines[c.next-1]
				return true
			}
		}
		return false
	})
	return found
}

// awaitEnd waits until the host has closed the connection, and returns all lines after the last that was awaited.
func (c *testClient) awaitEnd() (rest []string) {
	c.t.Helper()
	c.until("end of the connection", func() bool {
		if c.ended {
			rest, c.next = c.lines[c.next:], len(c.lines)
		}
		return c.ended
	})
	return rest
}

// until waits until done returns true, which is called with the lock held after each line.
func (c *testClient) until(what string, done func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		c.mu.Lock()
		ok, ended, changed := done(), c.ended, c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		if !ended {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.t.Fatalf("%s: no %s (ended: %t); sent\n%s\ngot\n%s", c.name, what, ended, clipped(c.sent), clipped(c.lines))
	}
}

// clipped returns the last lines, each with its beginning.
func clipped(lines []string) string {
	lines = lines[max(0, len(lines)-15):]
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "\t%.600s\n", line)
	}
	return b.String()
}

// prompt sends a prompt to a session.
func (c *testClient) prompt(session, text string) {
	c.ids++
	handle := c.handle
	if handle == "" {
		handle = session
	}
	line := strings.NewReplacer("$ID", strconv.Itoa(100+c.ids), "$TEXT", string(mustJSON(text)), "$HANDLE", handle).Replace(c.kind.prompt)
	c.send(c.fill(line, session))
}

// enter enters a session. It returns why the client was refused; "": it is in the session.
func (c *testClient) enter(session string) (refused string) {
	c.t.Helper()
	in, out := c.kind.enter(c, session)
	line := c.awaitAny(func(line string) bool { return strings.Contains(line, in) || strings.Contains(line, out) }, "answer to entering "+session)
	if strings.Contains(line, in) {
		return ""
	}
	return line
}

// leave ends the client's input, as a client does that has nothing more to say.
func (c *testClient) leave() { _ = c.conn.(*net.UnixConn).CloseWrite() }

// taken returns the lines that awaits have passed.
func (c *testClient) taken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lines[:c.next])
}

// kill cuts the connection.
func (c *testClient) kill() { c.conn.Close() }

// A testLog stores what a host logs.
type testLog struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *testLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
