package hosts

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// hostTTL is how long the keys of dead hosts last in these tests.
const hostTTL = 3 * time.Second

// A fleet is several hosts of one namespace, and the folder that their sessions work in.
type fleet struct {
	t     testing.TB
	url   string
	place *stage.Place
	ttl   time.Duration
	// silence is after how long without a message a tunnel is broken; 0: the default.
	silence time.Duration
}

// newFleet returns the hosts of a new namespace, whose model plays a script.
func newFleet(t testing.TB, script string) *fleet {
	t.Helper()
	f := &fleet{t: t, url: natstest.Start(t).URL + "/fleet", place: stage.NewHostPlace(t), ttl: hostTTL}
	f.place.Plays(t, script)
	address, err := stream.ParseAddress(f.url)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Init(t.Context(), address, stream.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// A host is one process of a fleet.
type host struct {
	fleet   *fleet
	name    string
	process *stage.Process
	ready   struct {
		Host      string   `json:"host"`
		Socket    string   `json:"socket"`
		URLs      []string `json:"urls"`
		TokenFile string   `json:"token_file"`
	}
}

// start starts a host, with the state folder that a former one of that name had.
func (f *fleet) start(name string, args ...string) *host {
	f.t.Helper()
	cmd := f.place.Command(f.t, append([]string{"serve", "--json", "--store", f.url}, args...)...)
	cmd.Env = append(cmd.Env, "PARLEY_HOME="+filepath.Join(f.place.Root, "home", name), "PARLEY_TEST_HOST_TTL="+f.ttl.String())
	if f.silence > 0 {
		cmd.Env = append(cmd.Env, "PARLEY_TEST_TUNNEL_SILENCE="+f.silence.String())
	}
	h := &host{fleet: f, name: name, process: stage.Launch(f.t, cmd)}
	if err := h.process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		f.t.Fatal(err)
	}
	line, err := bufio.NewReader(h.process.Stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &h.ready)
	}
	if err != nil {
		f.t.Fatalf("the host %s is not ready: %v; %s", name, err, h.process.Stderr)
	}
	return h
}

// A client is a connection to a host. A goroutine reads it.
type client struct {
	t    testing.TB
	name string
	conn net.Conn

	mu      sync.Mutex
	changed *sync.Cond
	asked   int
	answers map[int]message
	records []record       // durable ones that were followed
	all     []entry        // what was followed
	heads   map[string]int // the number of the last durable record of each session
	notes   []message      // other notifications
	deltas  int
	times   []time.Time // when deltas came
	paused  bool        // nothing is read
	ended   bool
}

// A message is a line of a host.
type message struct {
	ID     int            `json:"id"`
	Method string         `json:"method"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Kind    string `json:"kind"`
			Owner   string `json:"owner"`
			Outcome string `json:"outcome"`
		} `json:"data"`
	} `json:"error"`
	Params struct {
		entry
		Reason string `json:"reason"`
	} `json:"params"`
}

// An entry is a record with its session.
type entry struct {
	Session string `json:"session"`
	Record  record `json:"record"`
}

// A record is one of a session.
type record struct {
	Seq  int            `json:"seq"`
	Time string         `json:"time"`
	Turn string         `json:"turn"`
	Kind string         `json:"kind"`
	Data jsontext.Value `json:"data"`
}

// client connects to a host.
func (h *host) client(name string) *client {
	t := h.fleet.t
	t.Helper()
	conn, err := net.Dial("unix", h.ready.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &client{t: t, name: name, conn: conn, answers: map[int]message{}, heads: map[string]int{}}
	c.changed = sync.NewCond(&c.mu)
	lines := bufio.NewReader(conn)
	if _, err := conn.Write([]byte(`{"parley":1,"dialect":"native"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := lines.ReadString('\n'); err != nil || line != `{"ok":true}`+"\n" {
		t.Fatalf("the preamble is answered with %q, %v", line, err)
	}
	go c.read(lines)
	c.must("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": name}}, nil)
	return c
}

// read reads lines until the connection ends.
func (c *client) read(lines *bufio.Reader) {
	for {
		c.awaitUse()
		line, err := lines.ReadBytes('\n')
		c.mu.Lock()
		if err != nil {
			c.ended = true
			c.changed.Broadcast()
			c.mu.Unlock()
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("%s: %v: %s", c.name, err, line)
		}
		if m.Method == "record" {
			c.all = append(c.all, m.Params.entry)
			if seq := m.Params.Record.Seq; seq > 0 {
				c.heads[m.Params.Session] = seq
			}
		}
		switch {
		case m.Method == "":
			c.answers[m.ID] = m
		case m.Method == "record" && m.Params.Record.Seq == 0:
			c.deltas++
			c.times = append(c.times, time.Now())
		case m.Method == "record":
			c.records = append(c.records, m.Params.Record)
		default:
			c.notes = append(c.notes, m)
		}
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

// pause makes the client read nothing, but for what it reads already, or read again.
func (c *client) pause(paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = paused
	c.changed.Broadcast()
}

// awaitUse waits while the client is paused.
func (c *client) awaitUse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.paused {
		c.changed.Wait()
	}
}

// await waits until a condition holds, which is tried after each line.
func (c *client) await(what string, holds func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), stage.Patience)
	defer cancel()
	c.awaitUntil(ctx, holds, func() {
		var kinds []string
		for _, e := range c.all {
			if r := e.Record; r.Seq > 0 {
				kinds = append(kinds, fmt.Sprint(e.Session, " ", r.Seq, " ", r.Kind, " ", r.Turn))
			}
		}
		c.t.Fatalf("%s: the connection has ended (%v) or time is up before %s; notes %+v; records %q", c.name, c.ended, what, c.notes, kinds)
	})
}

// awaitUntil waits until a condition holds, which is tried after each line. If the connection or ctx ends before, it calls failed.
func (c *client) awaitUntil(ctx context.Context, holds func() bool, failed func()) {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !holds() {
		if c.ended || ctx.Err() != nil {
			failed()
			return
		}
		c.changed.Wait()
	}
}

// next waits for the next record of a session with one of the kinds among all that the client was sent, from at on.
func (c *client) next(session string, at *int, kinds ...string) (found record) {
	c.t.Helper()
	c.await(fmt.Sprintf("a record of %s of %q", session, kinds), func() bool {
		for ; *at < len(c.all); *at++ {
			if e := c.all[*at]; e.Session == session && slices.Contains(kinds, e.Record.Kind) {
				found = e.Record
				*at++
				return true
			}
		}
		return false
	})
	return found
}

// head returns the number of the last durable record that the client was sent of a session.
func (c *client) head(session string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heads[session]
}

// send sends a request, and returns its id.
func (c *client) send(method string, params map[string]any) int {
	c.t.Helper()
	c.mu.Lock()
	c.asked++
	id := c.asked
	c.mu.Unlock()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err == nil {
		_, err = c.conn.Write(append(line, '\n'))
	}
	if err != nil {
		c.t.Fatalf("%s: %s: %v", c.name, method, err)
	}
	return id
}

// answer waits for the answer to a request.
func (c *client) answer(id int) (m message) {
	c.t.Helper()
	c.await(fmt.Sprint("the answer to ", id), func() (ok bool) {
		m, ok = c.answers[id]
		return ok
	})
	return m
}

func (c *client) call(method string, params map[string]any) message {
	c.t.Helper()
	return c.answer(c.send(method, params))
}

// must is call for a request that is not refused.
func (c *client) must(method string, params map[string]any, result any) {
	c.t.Helper()
	m := c.call(method, params)
	if m.Error != nil {
		c.t.Fatalf("%s: %s: %d %s", c.name, method, m.Error.Code, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			c.t.Fatal(err)
		}
	}
}

// An opened is the answer to session/open.
type opened struct {
	Head  int `json:"head"`
	State struct {
		Status string `json:"status"`
	} `json:"state"`
	Via *struct {
		Host string `json:"host"`
		Name string `json:"name"`
	} `json:"via"`
}

func (c *client) open(session string) (o opened) {
	c.t.Helper()
	c.must("session/open", map[string]any{"session": session}, &o)
	return o
}

func (c *client) create(session, workspace, mode string) {
	c.t.Helper()
	c.must("session/create", map[string]any{"workspace": workspace, "id": session, "settings": map[string]any{"mode": mode}}, nil)
}

func (c *client) follow(session string, from int) {
	c.t.Helper()
	c.must("session/follow", map[string]any{"session": session, "from": from, "transient": []string{"text_delta"}}, nil)
}

func promptParams(session, id, text string) map[string]any {
	return map[string]any{"session": session, "id": id, "blocks": []map[string]any{{"kind": "text", "text": text}}}
}

func (c *client) prompt(session, id, text string) {
	c.t.Helper()
	c.must("turn/prompt", promptParams(session, id, text), nil)
}

// until waits for the n-th record of a kind.
func (c *client) until(kind string, n int) (found record) {
	c.t.Helper()
	c.await(fmt.Sprint("record ", n, " of ", kind), func() bool {
		count := 0
		for _, r := range c.records {
			if r.Kind == kind {
				if count++; count == n {
					found = r
					return true
				}
			}
		}
		return false
	})
	return found
}

// checkRecords reports gaps and repetitions in what the client was sent, from number first on.
func (c *client) checkRecords(first int) []record {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range c.records {
		if r.Seq != first+i {
			c.t.Errorf("%s: record %d comes where %d should", c.name, r.Seq, first+i)
			break
		}
	}
	return c.records
}
