package flint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
)

// A place is the fresh folders that processes of a test share.
type place struct {
	*dialecttest.Place
	laws *laws // nil: several processes share a thread, which the laws of one do not cover
}

// newPlace makes folders below root, with a script for the offline model.
func newPlace(t dialecttest.Tester, root, script string) *place {
	t.Helper()
	return &place{dialecttest.NewPlace(t, root, script), newLaws(t)}
}

func (p *place) write(t dialecttest.Tester, name, text string) {
	t.Helper()
	path := filepath.Join(p.Work, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

// A client talks to one process, in process.
type client struct {
	*dialecttest.Client
	t      dialecttest.Tester
	nextID int
}

// A message is a line that came.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params wireParams     `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// dial starts a process that is not initialized.
func (p *place) dial(t dialecttest.Tester, args ...string) *client {
	serve := serveInProcess
	if p.laws != nil {
		serve = p.laws.serve
	}
	return &client{Client: p.Dial(t, serve, append([]string{"flint"}, args...)...), t: t}
}

// open starts a process and initializes it.
func (p *place) open(t dialecttest.Tester, args ...string) *client {
	t.Helper()
	c := p.dial(t, args...)
	c.call("initialize", `{"clientInfo":{"name":"test","version":"1"}}`)
	return c
}

// next returns the next line; not ok at the end of the output.
func (c *client) next() (message, bool) {
	c.t.Helper()
	line, ok := c.Next()
	if !ok {
		return message{}, false
	}
	m := message{raw: line}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Errorf("%v in %s", err, line)
	}
	return m, true
}

// until reads up to the first line for which found holds.
func (c *client) until(found func(message) bool) []message {
	c.t.Helper()
	var all []message
	for {
		m, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ended after %d lines", len(all))
		}
		if all = append(all, m); found(m) {
			return all
		}
	}
}

// ask sends a request and reads up to its answer.
func (c *client) ask(name, params string) message {
	c.t.Helper()
	c.nextID++
	c.Send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`+"\n", c.nextID, name, params))
	id := fmt.Sprint(c.nextID)
	all := c.until(func(m message) bool { return m.Method == "" && string(m.ID) == id })
	return all[len(all)-1]
}

// call is ask for a request that must succeed.
func (c *client) call(name, params string) jsontext.Value {
	c.t.Helper()
	m := c.ask(name, params)
	if m.Error != nil {
		c.t.Fatalf("%s %s: %s", name, params, m.raw)
	}
	return m.Result
}

// start makes a thread and is its id.
func (c *client) start(params string) string {
	c.t.Helper()
	var result struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(c.call("thread/start", params), &result); err != nil {
		c.t.Fatalf("%v", err)
	}
	return result.Thread.ID
}

// begin starts a turn; more is further members of its params.
func (c *client) begin(thread, more string) (turn string) {
	c.t.Helper()
	var result struct {
		Turn wireTurn `json:"turn"`
	}
	params := fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"go"}]%s}`, thread, more)
	if err := json.Unmarshal(c.call("turn/start", params), &result); err != nil {
		c.t.Fatalf("%v", err)
	}
	return result.Turn.ID
}

// answer settles a request of the server's.
func (c *client) answer(m message, decision string) {
	c.t.Helper()
	c.Send(fmt.Sprintf(`{"id":%s,"result":{"decision":%q}}`+"\n", m.ID, decision))
}

// finish reads to the end of the turn, answering every request alike.
func (c *client) finish(decision string) []message {
	c.t.Helper()
	return c.until(func(m message) bool {
		if m.ID != nil {
			c.answer(m, decision)
		}
		return m.Method == "turn/completed"
	})
}

// end closes the input, reads what is left and is the exit code.
func (c *client) end() (code int, rest []message) {
	c.t.Helper()
	c.HangUp()
	for {
		m, ok := c.next()
		if !ok {
			break
		}
		rest = append(rest, m)
	}
	return c.Over(), rest
}

// items returns the items of the last turn that completed, and its status.
func items(t testing.TB, all []message) ([]wireItem, string) {
	t.Helper()
	last := all[len(all)-1]
	if last.Params.Turn == nil {
		t.Fatalf("no turn in %s", last.raw)
	}
	var list []wireItem
	for _, raw := range last.Params.Turn.Items {
		list = append(list, parseItem(raw))
	}
	return list, last.Params.Turn.Status
}
