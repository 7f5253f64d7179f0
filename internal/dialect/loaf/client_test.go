package loaf

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// patience is how long anything may take that is waited for. Tests never wait for it to pass.
const patience = 20 * time.Second

// A place is the fresh folders that processes of a test share.
type place struct {
	root, work, home string
	env              []string
	in               SignIn // nil: one that is not configured
}

// newPlace makes folders below root, with a script for the offline model.
func newPlace(t tester, root, script string) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &place{root: root, work: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, dir := range []string{p.work, p.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatalf("%v", err)
		}
	}
	path := filepath.Join(root, "model.script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + filepath.Join(p.home, ".parley"), "PWD=" + p.work, "LANG=C.UTF-8",
		"PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + path,
	}
	return p
}

// A client talks to one process, in process, whose lines a checker holds to the rules.
type client struct {
	t     tester
	in    *io.PipeWriter
	lines chan wireLine
	code  chan int
	stop  context.CancelFunc
	asked int
	limit time.Duration // 0: patience
}

// dial starts a process.
func (p *place) dial(t tester, args ...string) *client {
	ctx, cancel := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &client{t: t, in: stdin, lines: make(chan wireLine, 16), code: make(chan int, 1), stop: cancel}
	go func() {
		c.code <- watched{t}.serveWith(ctx, append([]string{"loaf", "rpc"}, args...), in, out, io.Discard, p.env, p.in)
		in.Close()
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var l wireLine
			if err := json.Unmarshal(line, &l); err != nil {
				t.Errorf("%v in %s", err, line)
			}
			c.lines <- l
		}
	}()
	return c
}

// ask sends a request and gives its id.
func (c *client) ask(method, params string) string {
	c.t.Helper()
	c.asked++
	if params != "" {
		params = `,"params":` + params
	}
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q%s}`, c.asked, method, params))
	return fmt.Sprint(c.asked)
}

func (c *client) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// next is the next line; false at the end of the output.
func (c *client) next() (wireLine, bool) {
	c.t.Helper()
	select {
	case l, ok := <-c.lines:
		return l, ok
	case <-time.After(cmp.Or(c.limit, patience)):
		c.t.Fatalf("waited in vain for a line")
		return wireLine{}, false
	}
}

// until reads up to the first line that fits, and gives all of them.
func (c *client) until(what string, fits func(wireLine) bool) []wireLine {
	c.t.Helper()
	var all []wireLine
	for {
		l, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ended before %s", what)
		}
		all = append(all, l)
		if fits(l) {
			return all
		}
	}
}

// call sends a request and reads up to its response, which is last.
func (c *client) call(method, params string) (before []wireLine, response wireLine) {
	c.t.Helper()
	id := c.ask(method, params)
	all := c.until("the answer to "+method, func(l wireLine) bool { return string(l.ID) == id })
	return all[:len(all)-1], all[len(all)-1]
}

// result is the result of a request that must succeed.
func (c *client) result(into any, method, params string) {
	c.t.Helper()
	_, l := c.call(method, params)
	if l.Error != nil {
		c.t.Fatalf("%s: %+v", method, *l.Error)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(l.Result, into); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// create makes a session.
func (c *client) create() string {
	c.t.Helper()
	var r SessionCreateResult
	c.result(&r, "session.create", "")
	return r.SessionID
}

// get is the state of a session.
func (c *client) get(session string) (st SessionState) {
	c.t.Helper()
	c.result(&st, "session.get", sessionParams(session, ""))
	return st
}

// send starts a turn; its lines come behind.
func (c *client) send(session, text string) {
	c.t.Helper()
	c.result(nil, "session.send", sessionParams(session, `"text":`+string(value(text))))
}

// turn is send, and all lines of the turn.
func (c *client) turn(session, text string) []wireLine {
	c.t.Helper()
	c.send(session, text)
	return c.until("the end of the turn", isReady)
}

func isReady(l wireLine) bool {
	return l.Method == EventSessionStatus && strings.Contains(string(l.Params), `"pending":false`)
}

// sessionParams is params with a session's id.
func sessionParams(session, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"session_id":%q%s}`, session, more)
}

// end closes the input and gives what is said from then on.
func (c *client) end() []wireLine {
	c.t.Helper()
	c.in.Close()
	return c.rest()
}

// rest is what is said up to the end; the exit code must be 0.
func (c *client) rest() []wireLine {
	c.t.Helper()
	var all []wireLine
	for {
		l, ok := c.next()
		if !ok {
			break
		}
		all = append(all, l)
	}
	if code := <-c.code; code != ExitOK {
		c.t.Errorf("exit code %d", code)
	}
	c.stop()
	return all
}

// events is the names of notifications, with repetitions of a name as one.
func events(lines []wireLine) []string {
	var names []string
	for _, l := range lines {
		if l.Method != "" {
			names = append(names, l.Method)
		}
	}
	return slices.Compact(names)
}

// as reads a value as the type that it must have.
func as[T any](t tester, raw jsontext.Value) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}
