package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how frames are read and written.
var frames = jsonrpc.Options{Version: true, AnyID: true, Object: wire.ObjectOptions{LastDuplicateWins: true, Open: true}}

// A conn is the connection to the process of an agent. A goroutine reads; what belongs to a turn waits until the turn takes
// it, so that an agent that floods is slowed.
type conn struct {
	process *backend.Process

	mu      sync.Mutex
	asked   int64
	waiting map[jsonrpc.ID]chan response
	turn    *inbox // of the turn that runs; nil: none does
	err     error  // why nothing is read any more
	ended   chan struct{}
}

// A response is the answer to a request.
type response struct {
	result jsontext.Value
	err    error // *jsonrpc.Error, or that of the connection
}

// An inbox receives what comes in a turn.
type inbox struct {
	frames chan frame
	done   chan struct{} // closed when the turn takes no more
}

// A frame is a request or notification of the agent.
type frame struct {
	id     jsonrpc.ID // of a request
	method string
	params jsontext.Value
}

// waitingFrames is how many frames may wait for a turn.
const waitingFrames = 256

func newConn(p *backend.Process) *conn {
	c := &conn{process: p, waiting: map[jsonrpc.ID]chan response{}, ended: make(chan struct{})}
	go c.read()
	return c
}

// read reads until the process ends.
func (c *conn) read() {
	defer close(c.ended)
	for {
		line, err := c.process.Next()
		if err != nil {
			c.fail(err)
			return
		}
		f, invalid := jsonrpc.Parse(line, frames)
		if invalid != nil {
			continue // agents write all kinds of lines
		}
		switch f.Kind {
		case jsonrpc.Response:
			c.answered(f)
		default:
			c.deliver(frame{id: f.ID, method: f.Method, params: f.Params.Clone()})
		}
	}
}

// fail ends all that waits for an answer.
func (c *conn) fail(err error) {
	var failed error
	switch {
	case errors.Is(err, io.EOF):
		<-c.process.Ended()
		failed = c.process.Failure(backend.CodeGone, c.process.Exit())
	case errors.Is(err, wire.ErrLineTooLong):
		failed = c.process.Failure(backend.CodeProtocol, fmt.Sprintf("it wrote a line of more than %d MiB", backend.MaxLine>>20))
	default:
		failed = c.process.Failure(backend.CodeProtocol, err.Error())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = failed
	for id, waiter := range c.waiting {
		delete(c.waiting, id)
		waiter <- response{err: failed}
	}
}

// answered gives an answer to its request.
func (c *conn) answered(f jsonrpc.Frame) {
	r := response{result: f.Result.Clone()}
	if f.Error != nil {
		e := *f.Error
		e.Data = e.Data.Clone()
		r = response{err: &e}
	}
	c.mu.Lock()
	waiter := c.waiting[f.ID]
	delete(c.waiting, f.ID)
	c.mu.Unlock()
	if waiter != nil {
		waiter <- r
	}
}

// deliver gives a frame to the turn that runs, and waits for it. Outside of turns permissions are withdrawn, other requests are
// refused, and notifications dropped.
func (c *conn) deliver(f frame) {
	c.mu.Lock()
	turn := c.turn
	c.mu.Unlock()
	if turn != nil {
		select {
		case turn.frames <- f:
			return
		case <-turn.done:
		}
	}
	if f.id != "" {
		c.refuse(f)
	}
}

// refuse answers a request that nothing is done about.
func (c *conn) refuse(f frame) {
	if f.method == "session/request_permission" {
		_ = c.reply(f.id, permissionResult{outcome{Outcome: "cancelled"}}) // the reader finds out that the process is gone
		return
	}
	_ = c.process.Write(frames.AppendError(nil, f.id, &jsonrpc.Error{Code: codeMethodNotFound, Message: "method not found: " + f.method}))
}

// enter has the frames of a turn delivered to it until leave is called.
func (c *conn) enter() (in *inbox, leave func()) {
	in = &inbox{frames: make(chan frame, waitingFrames), done: make(chan struct{})}
	c.mu.Lock()
	c.turn = in
	c.mu.Unlock()
	return in, func() {
		c.mu.Lock()
		c.turn = nil
		c.mu.Unlock()
		close(in.done)
		for {
			select {
			case f := <-in.frames:
				if f.id != "" {
					c.refuse(f)
				}
			default:
				return
			}
		}
	}
}

// ask sends a request, and returns what its answer comes to.
func (c *conn) ask(method string, params any) (<-chan response, error) {
	data, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	waiter := make(chan response, 1)
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, c.err
	}
	c.asked++
	id := jsonrpc.Number(c.asked)
	c.waiting[id] = waiter
	c.mu.Unlock()
	if err := c.process.Write(frames.AppendRequest(nil, id, method, data)); err != nil {
		return nil, c.lost(err)
	}
	return waiter, nil
}

// lost returns the error of a write: how the process ended if it did, which comes with some delay.
func (c *conn) lost(err error) error {
	c.process.Kill()
	<-c.ended
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return c.process.Failure(backend.CodeGone, err.Error())
}

// call sends a request and reads its result into result; nil: it is not wanted.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	waiter, err := c.ask(method, params)
	if err != nil {
		return err
	}
	select {
	case r := <-waiter:
		if r.err != nil || result == nil {
			return r.err
		}
		if err := json.Unmarshal(r.result, result); err != nil {
			return c.process.Failure(backend.CodeProtocol, fmt.Sprintf("its answer to %s: %v", method, err))
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.process.Write(frames.AppendNotification(nil, method, data))
}

// reply answers a request of the agent.
func (c *conn) reply(id jsonrpc.ID, result any) error {
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return c.process.Write(frames.AppendResult(nil, id, data))
}
