package flint

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// patience is how long anything may take that is waited for. Tests never wait for it to pass.
const patience = 20 * time.Second

// A tester is what a *testing.T and a *rapid.T have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A place is the fresh folders that processes of a test share.
type place struct {
	root, work, home string
	laws             *laws
	env              []string
}

// newPlace makes folders below root, with a script for the offline model.
func newPlace(t tester, root, script string) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &place{root: root, work: filepath.Join(root, "work"), home: filepath.Join(root, "home"), laws: newLaws(t)}
	for _, dir := range []string{p.work, p.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatalf("%v", err)
		}
	}
	p.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + filepath.Join(p.home, ".parley"), "PWD=" + p.work, "LANG=C.UTF-8"}
	p.script(t, script)
	return p
}

// script is what the model answers in the processes that follow.
func (p *place) script(t tester, text string) {
	t.Helper()
	path := filepath.Join(p.root, "model.script")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	p.env = append(p.env, "PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT="+path)
}

func (p *place) write(t tester, name, text string) {
	t.Helper()
	path := filepath.Join(p.work, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

// A client talks to one process, in process.
type client struct {
	t      tester
	in     *io.PipeWriter
	lines  chan message
	code   chan int
	stop   context.CancelFunc
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
func (p *place) dial(t tester, args ...string) *client {
	ctx, cancel := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &client{t: t, in: stdin, lines: make(chan message, 16), code: make(chan int, 1), stop: cancel}
	go func() {
		c.code <- p.laws.serve(ctx, append([]string{"flint"}, args...), in, out, io.Discard, p.env)
		in.Close()
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			var m message
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Errorf("%v in %s", err, line)
			}
			m.raw = strings.TrimSuffix(line, "\n")
			c.lines <- m
		}
	}()
	return c
}

// open starts a process and initializes it.
func (p *place) open(t tester, args ...string) *client {
	t.Helper()
	c := p.dial(t, args...)
	c.call("initialize", `{"clientInfo":{"name":"test","version":"1"}}`)
	return c
}

// send writes text as it is.
func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// next is the next line; not ok at the end of the output.
func (c *client) next() (message, bool) {
	c.t.Helper()
	select {
	case m, ok := <-c.lines:
		return m, ok
	case <-time.After(patience):
		c.t.Fatalf("nothing comes")
	}
	return message{}, false
}

// until reads up to the first line for which found holds.
func (c *client) until(found func(message) bool) []message {
	c.t.Helper()
	var all []message
	for {
		m, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ended behind %d lines", len(all))
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
	c.send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`+"\n", c.nextID, name, params))
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
	c.send(fmt.Sprintf(`{"id":%s,"result":{"decision":%q}}`+"\n", m.ID, decision))
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
	c.in.Close()
	for {
		m, ok := c.next()
		if !ok {
			break
		}
		rest = append(rest, m)
	}
	return c.over(), rest
}

// over waits for the end of the process.
func (c *client) over() int {
	c.t.Helper()
	defer c.stop()
	select {
	case code := <-c.code:
		return code
	case <-time.After(patience):
		c.t.Fatalf("the process does not end")
	}
	return -1
}

// items is the items of the last turn that completed, and its status.
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
