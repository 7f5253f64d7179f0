package pisces

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// A place is the fresh folders that processes of a test share.
type place struct{ *dialecttest.Place }

func newPlace(t dialecttest.Tester, root, script string) *place {
	t.Helper()
	return &place{dialecttest.NewPlace(t, root, script)}
}

// A client talks to one process, in process, whose lines a checker holds to the rules.
type client struct {
	*dialecttest.Client
	t     dialecttest.Tester
	asked int
}

// dial starts a process, and reads its ready.
func (p *place) dial(t dialecttest.Tester, args ...string) *client {
	t.Helper()
	c := &client{Client: p.Dial(t, watched{t: t}.serve, append([]string{"pisces", "--mode", "rpc"}, args...)...), t: t}
	if l, ok := c.next(); !ok || l.Type != "ready" {
		t.Fatalf("the first line is of type %q", l.Type)
	}
	return c
}

// A line is what the program says.
type line struct {
	Type    string         `json:"type"`
	ID      jsontext.Value `json:"id"`
	Command string         `json:"command"`
	Success bool           `json:"success"`
	Error   any            `json:"error"` // a text, but of a prompt_result
	Data    jsontext.Value `json:"data"`
}

// ask sends a command and gives its id. Members are further ones, such as "a":1, or "".
func (c *client) ask(name, members string) string {
	c.t.Helper()
	c.asked++
	if members != "" {
		members = "," + members
	}
	c.Send(fmt.Sprintf(`{"id":%d,"type":%q%s}`+"\n", c.asked, name, members))
	return fmt.Sprint(c.asked)
}

// next returns the next line; false at the end of the output.
func (c *client) next() (l line, ok bool) {
	c.t.Helper()
	text, ok := c.Next()
	if !ok {
		return l, false
	}
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		c.t.Errorf("%v in %s", err, text)
	}
	return l, true
}

// until reads up to the first line that fits.
func (c *client) until(what string, fits func(line) bool) line {
	c.t.Helper()
	for {
		l, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ended before %s", what)
		}
		if fits(l) {
			return l
		}
	}
}

// answer reads up to the answer to the command of an id, which was the last.
func (c *client) answer(id, name string) line {
	c.t.Helper()
	return c.until("the answer to "+name, func(l line) bool { return l.Type == "response" && string(l.ID) == id })
}

// result is the data of a command that must succeed.
func (c *client) result(into any, name, members string) {
	c.t.Helper()
	l := c.answer(c.ask(name, members), name)
	if !l.Success {
		c.t.Fatalf("%s: %v", name, l.Error)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(l.Data, into); err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
}

func (c *client) state() (st RpcSessionState) {
	c.t.Helper()
	c.result(&st, CommandGetState, "")
	return st
}

// messages returns those that the model would be sent, each as it is written.
func (c *client) messages() []string {
	c.t.Helper()
	var data struct {
		Messages []jsontext.Value `json:"messages"`
	}
	c.result(&data, CommandGetMessages, "")
	all := []string{}
	for _, m := range data.Messages {
		all = append(all, string(m))
	}
	return all
}

// turn prompts and reads to the end of the run.
func (c *client) turn(text string) {
	c.t.Helper()
	c.ask(CommandPrompt, `"message":`+string(rawjson.Quoted(text)))
	c.until("the end of the run", func(l line) bool { return l.Type == "agent_end" })
}

// end closes the input and reads the rest; the exit code must be 0.
func (c *client) end() {
	c.t.Helper()
	c.HangUp()
	for {
		if _, ok := c.next(); !ok {
			break
		}
	}
	if code := c.Over(); code != dialect.ExitOK {
		c.t.Errorf("exit code %d", code)
	}
}
