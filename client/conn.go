package client

import (
	"context"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/record"
)

// A conn is one connection, from its initialize until it is lost.
type conn struct {
	lines lines
	lost  chan struct{} // closed when nothing more comes
	ended func()        // called after that

	writing sync.Mutex

	mu       sync.Mutex
	last     int64
	pending  map[int64]*call
	followed map[string]*follower // by session
	watchers map[*watcher]bool
}

// A call waits for its answer.
type call struct {
	answered chan struct{} // closed when there is one
	accepted func()        // called before anything that comes after a result; nil: nothing is
	result   jsontext.Value
	err      error
}

// A message is any line of the host.
type message struct {
	ID     int64          `json:"id"`
	Method string         `json:"method"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	} `json:"error"`
	Params struct {
		hostSession
		Record record.Record `json:"record"`
		Reason string        `json:"reason"`
	} `json:"params"`
}

func newConn(l lines, ended func(*conn)) *conn {
	c := &conn{lines: l, lost: make(chan struct{}), pending: map[int64]*call{}, followed: map[string]*follower{}, watchers: map[*watcher]bool{}}
	c.ended = func() { ended(c) }
	go c.readAll()
	return c
}

// readAll hands out what comes until the connection is lost.
func (c *conn) readAll() {
	defer c.ended()
	defer c.end()
	for {
		line, err := c.lines.read()
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) == nil {
			c.take(m)
		}
	}
}

// end ends the calls and the followers of a connection that is lost.
func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.lost)
	for _, waiting := range c.pending {
		waiting.err = errConnection
		close(waiting.answered)
	}
	for _, f := range c.followed {
		f.end("")
	}
	for w := range c.watchers {
		w.end()
	}
	c.pending, c.followed, c.watchers = nil, nil, nil
}

// take hands out a message.
func (c *conn) take(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	follower := c.followed[m.Params.Session]
	switch {
	case m.Method == "record" && follower != nil:
		follower.add(m.Params.Record)
	case m.Method == "session/closed" && follower != nil:
		delete(c.followed, m.Params.Session)
		follower.end(m.Params.Reason)
	case m.Method == "host/session":
		for w := range c.watchers {
			w.add(m.Params.changed())
		}
	case m.Method == "":
		c.answer(m)
	}
}

// answer ends the call that a message answers.
func (c *conn) answer(m message) {
	waiting := c.pending[m.ID]
	if waiting == nil {
		return
	}
	delete(c.pending, m.ID)
	if e := m.Error; e != nil {
		var data struct {
			Kind string `json:"kind"`
		}
		_ = json.Unmarshal(e.Data, &data) // an error of JSON-RPC itself has none
		waiting.err = &Error{e.Code, data.Kind, e.Message, e.Data}
	} else {
		waiting.result = m.Result
		if waiting.accepted != nil {
			waiting.accepted()
		}
	}
	close(waiting.answered)
}

// request sends a request and waits for its answer.
func (c *conn) request(ctx context.Context, method string, params any, accepted func()) (jsontext.Value, error) {
	waiting := &call{answered: make(chan struct{}), accepted: accepted}
	c.mu.Lock()
	if c.pending == nil {
		c.mu.Unlock()
		return nil, errConnection
	}
	c.last++
	id := c.last
	c.pending[id] = waiting
	c.mu.Unlock()
	data, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	line := `{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"method":"` + method + `","params":` + string(data) + `}`
	c.writing.Lock()
	err = c.lines.write([]byte(line))
	c.writing.Unlock()
	if err != nil {
		return nil, errConnection
	}
	select {
	case <-waiting.answered:
		return waiting.result, waiting.err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		return nil, context.Cause(ctx)
	}
}

// forget ends a follower.
func (c *conn) forget(session string, f *follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed[session] == f {
		delete(c.followed, session)
	}
}
