package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// A Client is connected to a host. Its methods are safe for concurrent use.
type Client struct {
	o    Options
	dial func(context.Context) (lines, error)

	connecting chan struct{} // holds a value while a goroutine connects

	mu        sync.Mutex
	conn      *conn // nil: it is lost
	closed    bool
	followers map[string]bool // sessions that are followed
}

// errConnection is a connection that was lost.
var errConnection = errors.New("the connection is lost")

// The pauses between attempts to connect again.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 2 * time.Second
)

// open makes the first connection.
func open(ctx context.Context, o Options, dial func(context.Context) (lines, error)) (*Client, error) {
	o.Name = cmp.Or(o.Name, "go")
	o.Patience = cmp.Or(o.Patience, time.Minute)
	c := &Client{o: o, dial: dial, connecting: make(chan struct{}, 1), followers: map[string]bool{}}
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	c.conn = conn
	return c, nil
}

// connect makes a connection and initializes it.
func (c *Client) connect(ctx context.Context) (*conn, error) {
	l, err := c.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to Parley: %w", err)
	}
	conn := newConn(l, c.lost)
	about := map[string]any{"name": c.o.Name}
	if c.o.Version != "" {
		about["version"] = c.o.Version
	}
	if _, err := conn.request(ctx, "initialize", map[string]any{"protocol": 1, "client": about}, nil); err != nil {
		_ = l.close() // the first error reports why
		return nil, fmt.Errorf("connect to Parley: %w", err)
	}
	return conn, nil
}

// current returns the connection, made anew if it is lost.
func (c *Client) current(ctx context.Context) (*conn, error) {
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if conn, err := c.alive(); conn != nil || err != nil {
		return conn, err
	}
	patience, cancel := context.WithTimeout(ctx, c.o.Patience)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		conn, err := c.connect(patience)
		if err == nil {
			return conn, c.use(conn)
		}
		c.report(err)
		select {
		case <-patience.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
		}
		if _, err := c.alive(); err != nil {
			return nil, err
		}
	}
}

// alive returns the connection; nil: it is lost.
func (c *Client) alive() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if c.conn != nil {
		select {
		case <-c.conn.lost:
			_ = c.conn.lines.close() // it is lost anyway
			c.conn = nil
			c.reportLocked(errConnection)
		default:
		}
	}
	return c.conn, nil
}

// use makes a connection the current one.
func (c *Client) use(conn *conn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = conn.lines.close() // it is not in use
		return ErrClosed
	}
	c.conn = conn
	c.reportLocked(nil)
	select {
	case <-conn.lost: // lost did not know it yet
		c.reportLocked(errConnection)
	default:
	}
	return nil
}

// lost reports the loss of a connection, if it is the current one.
func (c *Client) lost(conn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		c.reportLocked(errConnection)
	}
}

// report calls Options.Status.
func (c *Client) report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reportLocked(err)
}

// reportLocked is report for callers that hold mu.
func (c *Client) reportLocked(err error) {
	if c.o.Status != nil && !c.closed {
		c.o.Status(err)
	}
}

// Close ends the connection. Sessions go on as the host has it; of a process that was started, running turns come to their
// end before Close returns.
func (c *Client) Close() error {
	c.mu.Lock()
	conn := c.conn
	c.conn, c.closed = nil, true
	c.mu.Unlock()
	if conn == nil {
		return nil
	}
	return conn.lines.close()
}

// once are the requests that must not be sent twice: a repeat does something else.
var once = map[string]bool{"session/fork": true, "session/compact": true, "session/branch": true, "token/create": true}

// Call sends a request of the protocol for which there is no method here, and reads its result into result; nil: it is not
// wanted. params becomes a JSON object. A request is sent again if the connection is lost before its answer comes, but for
// those whose repeat does something else.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	for {
		conn, err := c.current(ctx)
		if err != nil {
			return err
		}
		data, err := conn.request(ctx, method, params, nil)
		switch {
		case errors.Is(err, errConnection) && once[method]:
			return ErrLost
		case errors.Is(err, errConnection):
			continue
		case err != nil || result == nil:
			return err
		}
		return json.Unmarshal(data, result)
	}
}
