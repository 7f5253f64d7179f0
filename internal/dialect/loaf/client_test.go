package loaf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
)

// A place is the fresh folders that processes of a test share.
type place struct {
	*dialecttest.Place
	in SignIn // nil: one that is not configured
}

// newPlace makes folders below root, with a script for the offline model.
func newPlace(t dialecttest.Tester, root, script string) *place {
	t.Helper()
	return &place{Place: dialecttest.NewPlace(t, root, script)}
}

// A client talks to one process, in process, whose lines a checker holds to the rules.
type client struct {
	*dialecttest.Client
	t     dialecttest.Tester
	asked int
}

// dial starts a process.
func (p *place) dial(t dialecttest.Tester, args ...string) *client {
	return &client{Client: p.Dial(t, watched{t, p.in}.serve, append([]string{"loaf", "rpc"}, args...)...), t: t}
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
	c.Send(line + "\n")
}

// next returns the next line; false at the end of the output.
func (c *client) next() (l wireLine, ok bool) {
	c.t.Helper()
	line, ok := c.Next()
	if !ok {
		return l, false
	}
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		c.t.Errorf("%v in %s", err, line)
	}
	return l, true
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

// get returns the state of a session.
func (c *client) get(session string) (st SessionState) {
	c.t.Helper()
	c.result(&st, "session.get", sessionParams(session, ""))
	return st
}

// send starts a turn; its lines come after.
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
	c.HangUp()
	return c.rest()
}

// rest returns what is said up to the end; the exit code must be 0.
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
	if code := c.Over(); code != dialect.ExitOK {
		c.t.Errorf("exit code %d", code)
	}
	return all
}

// events returns the names of notifications, with repetitions of a name as one.
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
func as[T any](t dialecttest.Tester, raw jsontext.Value) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}
