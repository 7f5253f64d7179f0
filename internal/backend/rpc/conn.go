package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A Conn is the connection to the process of an agent. A goroutine reads; what belongs to a turn waits until the turn takes
// it, so that an agent that floods is slowed. Its methods are safe for concurrent use.
type Conn struct {
	process *backend.Process
	codec   Codec
	refuse  func(*Conn, Frame)
	leaving sync.Mutex // keeps the frames of no turn in their order

	mu      sync.Mutex
	asked   int64
	waiting map[jsonrpc.ID]chan response // nil: the answer is a frame of the turn
	turn    *inbox                       // of the turn that runs; nil: none does
	observe func(Frame)                  // receives notifications outside of turns; nil: they are dropped
	err     error                        // why nothing is read any more
	ended   chan struct{}
}

// A response is the answer to a request.
type response struct {
	result jsontext.Value
	err    error // *jsonrpc.Error, or that of the connection
}

// An inbox receives what comes in a turn.
type inbox struct {
	frames chan Frame
	done   chan struct{} // closed when the turn takes no more
}

// A Frame is a request or notification of the agent, an answer to Send, or the end of the connection.
type Frame struct {
	ID     jsonrpc.ID // of a request or an answer
	Method string     // "": an answer, or the end
	Params jsontext.Value
	Result jsontext.Value // of an answer
	Err    error          // of an answer, *jsonrpc.Error; of the end, *backend.Error
}

// Request reports whether the agent waits for an answer.
func (f Frame) Request() bool { return f.Method != "" && f.ID != "" }

// waitingFrames is how many frames may wait for a turn.
const waitingFrames = 256

// New returns the connection to a process. Refuse is called for a request that comes outside of a turn and for those that a turn has
// not taken; nil: they are answered with an error.
func New(p *backend.Process, codec Codec, refuse func(*Conn, Frame)) *Conn {
	if refuse == nil {
		refuse = (*Conn).Refuse
	}
	c := &Conn{process: p, codec: codec, refuse: refuse, waiting: map[jsonrpc.ID]chan response{}, ended: make(chan struct{})}
	go c.read()
	return c
}

// Observe has f called, one call at a time, with each notification that comes outside of a turn, or that a turn has not taken. Without
// it they are dropped.
func (c *Conn) Observe(f func(Frame)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe = f
}

// Ended is closed when nothing more is read.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Alive reports whether the agent can be asked.
func (c *Conn) Alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil
}

// read reads until the process ends.
func (c *Conn) read() {
	defer close(c.ended)
	for {
		line, err := c.process.Next()
		if err != nil {
			c.fail(err)
			return
		}
		f, answer, ok := c.codec.Parse(line)
		if !ok {
			continue // agents write all kinds of lines
		}
		if answer {
			c.answered(f)
			continue
		}
		c.deliver(Frame{ID: f.ID, Method: f.Method, Params: f.Params.Clone()})
	}
}

// fail ends all that waits for an answer.
func (c *Conn) fail(err error) {
	var failed error
	switch {
	case errors.Is(err, io.EOF):
		failed = c.process.Gone()
	case errors.Is(err, wire.ErrLineTooLong):
		failed = c.process.Failure(backend.CodeProtocol, fmt.Sprintf("it wrote a line of more than %d bytes", c.process.MaxLine()))
	default:
		failed = c.process.Failure(backend.CodeProtocol, err.Error())
	}
	c.mu.Lock()
	c.err = failed
	for id, waiter := range c.waiting {
		delete(c.waiting, id)
		if waiter != nil {
			waiter <- response{err: failed}
		}
	}
	c.mu.Unlock()
	c.deliver(Frame{Err: failed})
}

// answered gives an answer to its request.
func (c *Conn) answered(f Frame) {
	r := response{result: f.Result.Clone(), err: f.Err}
	c.mu.Lock()
	waiter, known := c.waiting[f.ID]
	delete(c.waiting, f.ID)
	c.mu.Unlock()
	switch {
	case waiter != nil:
		waiter <- r
	case known:
		c.deliver(Frame{ID: f.ID, Result: r.result, Err: r.err})
	}
}

// deliver gives a frame to the turn that runs, and waits for it.
func (c *Conn) deliver(f Frame) {
	c.mu.Lock()
	turn := c.turn
	c.mu.Unlock()
	if turn == nil {
		c.outside(f)
		return
	}
	select {
	case turn.frames <- f:
		select {
		case <-turn.done: // leave may have emptied the inbox before
			c.leaving.Lock()
			defer c.leaving.Unlock()
			c.empty(turn)
		default:
		}
	case <-turn.done:
		c.outside(f)
	}
}

// outside handles a frame that comes while no turn runs, after those that the last turn has left.
func (c *Conn) outside(f Frame) {
	c.leaving.Lock()
	defer c.leaving.Unlock()
	c.handle(f)
}

// empty handles what a turn has not taken. The caller holds leaving.
func (c *Conn) empty(in *inbox) {
	for {
		select {
		case f := <-in.frames:
			c.handle(f)
		default:
			return
		}
	}
}

// handle handles a frame of no turn: requests are refused, and notifications observed. The caller holds leaving.
func (c *Conn) handle(f Frame) {
	switch {
	case f.Request():
		c.refuse(c, f)
	case f.Method != "":
		c.mu.Lock()
		observe := c.observe
		c.mu.Unlock()
		if observe != nil {
			observe(f)
		}
	}
}

// Refuse answers a request that is not known.
func (c *Conn) Refuse(f Frame) {
	_ = c.process.Write(c.codec.Refusal(f.ID, f.Method)) // the reader finds out that the process is gone
}

// Enter has the frames of a turn delivered to it until leave is called. The last one may be the end of the connection.
func (c *Conn) Enter() (frames <-chan Frame, leave func()) {
	in := &inbox{frames: make(chan Frame, waitingFrames), done: make(chan struct{})}
	c.mu.Lock()
	c.turn = in
	if c.err != nil {
		in.frames <- Frame{Err: c.err}
	}
	c.mu.Unlock()
	return in.frames, func() {
		c.leaving.Lock()
		defer c.leaving.Unlock()
		c.mu.Lock()
		c.turn = nil
		c.mu.Unlock()
		close(in.done)
		c.empty(in)
	}
}

// request sends a request, with what waits for its answer.
func (c *Conn) request(method string, params any, waiter chan response) (jsonrpc.ID, error) {
	data, err := encode(params)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return "", c.err
	}
	c.asked++
	id := jsonrpc.Number(c.asked)
	c.waiting[id] = waiter
	c.mu.Unlock()
	if err := c.process.Write(c.codec.Request(id, method, data)); err != nil {
		return "", c.lost(err)
	}
	return id, nil
}

// encode returns params as JSON; nil: there are none.
func encode(params any) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	return json.Marshal(params)
}

// exitWait is how long an agent that does not read may take until it is known how it has ended.
const exitWait = 3 * time.Second

// lost returns why the agent cannot be asked, where writing to it has failed. It cannot be asked again, whether or not its process still runs.
func (c *Conn) lost(err error) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) { // it is about to end: how, and what it says, is more than that it does not read
		timer := time.NewTimer(exitWait)
		defer timer.Stop()
		select {
		case <-c.ended:
		case <-timer.C:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = c.process.Failure(backend.CodeGone, err.Error())
	}
	return c.err
}

// Send sends a request whose answer comes as a frame of the turn, in the order in which the agent writes.
func (c *Conn) Send(method string, params any) (jsonrpc.ID, error) {
	return c.request(method, params, nil)
}

// Call sends a request and reads its result into result; nil: it is not wanted. *jsonrpc.Error, *backend.Error, or the cause of ctx.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	waiter := make(chan response, 1)
	id, err := c.request(method, params, waiter)
	if err != nil {
		return err
	}
	select {
	case r := <-waiter:
		if r.err != nil || result == nil {
			return r.err
		}
		return c.Decode(method, r.result, result)
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

// Decode reads the answer to a method.
func (c *Conn) Decode(method string, value jsontext.Value, result any) error {
	if err := json.Unmarshal(value, result); err != nil {
		return c.process.Failure(backend.CodeProtocol, fmt.Sprintf("its answer to %s: %v", method, err))
	}
	return nil
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	data, err := encode(params)
	if err != nil {
		return err
	}
	if err := c.process.Write(c.codec.Notification(method, data)); err != nil {
		return c.lost(err)
	}
	return nil
}

// Reply answers a request of the agent.
func (c *Conn) Reply(id jsonrpc.ID, result any) error {
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return c.process.Write(c.codec.Result(id, data))
}
