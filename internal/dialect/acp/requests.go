package acp

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// requests is the requests to the client that are not answered yet. It is safe for concurrent use.
type requests struct {
	mu     lock.Mutex
	next   int64
	open   map[jsonrpc.ID]func(jsonrpc.Frame)
	closed bool // no client is left
}

func newRequests() *requests { return &requests{open: map[jsonrpc.ID]func(jsonrpc.Frame){}} }

// add returns the id of a new request. Answered is called with the response, from the goroutine that reads; it must return
// soon. It reports false if no client is left that could answer.
func (r *requests) add(answered func(jsonrpc.Frame)) (jsonrpc.ID, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", false
	}
	id := r.nextID()
	r.open[id] = answered
	return id, true
}

// addUnanswered returns the id of a new request whose response is ignored. It also works when no client is left.
func (r *requests) addUnanswered() jsonrpc.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nextID()
}

// nextID returns an id that no request had. The caller holds the lock.
func (r *requests) nextID() jsonrpc.ID {
	id := jsonrpc.Number(r.next)
	r.next++
	return id
}

// take removes a request. It returns nil if it is not open: it was answered or withdrawn, or never made.
func (r *requests) take(id jsonrpc.ID) func(jsonrpc.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answered := r.open[id]
	delete(r.open, id)
	return answered
}

// answer passes a response on. One to no open request is ignored.
func (r *requests) answer(f jsonrpc.Frame) {
	if answered := r.take(f.ID); answered != nil {
		answered(f)
	}
}

// withdraw removes a request and returns the line that says so; nil if it is not open.
func (r *requests) withdraw(id jsonrpc.ID) []byte {
	if r.take(id) == nil {
		return nil
	}
	return notification("$/cancel_request", CancelRequestParams{[]byte(id)})
}

// replace makes late what is called with the response to an open request. It reports false if the request is not open.
func (r *requests) replace(id jsonrpc.ID, late func(jsonrpc.Frame)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[id] == nil {
		return false
	}
	r.open[id] = late
	return true
}

// close accepts no requests any more.
func (r *requests) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// errNoClient reports that no client is left that could answer.
var errNoClient = errors.New("the client is gone")

// A clientRequest is a request to the client.
type clientRequest struct {
	method string
	params any
	// late is called with the result of a request that was withdrawn, where the client has done it all the same; it must
	// return soon. Nil: such a result is ignored.
	late func(jsontext.Value)
	// firm requests are sent even if the context or the connection has ended, and never withdrawn: the client shall do them in
	// any case.
	firm bool
}

// askClient sends a request to the client, after what the client was sent of the session so far, and waits for its result. When
// ctx ends it withdraws the request.
func askClient[R any](ctx context.Context, s *session, method string, params any) (R, error) {
	return awaitClient[R](ctx, s.conn, s.pump.Reply, clientRequest{method: method, params: params})
}

// awaitClient sends a request to the client by send, and waits for its result until ctx ends.
func awaitClient[R any](ctx context.Context, c *conn, send func(lines ...[]byte), q clientRequest) (result R, err error) {
	if ctx.Err() != nil && !q.firm {
		return result, context.Cause(ctx)
	}
	r, ok := c.openRequest(q)
	if !ok {
		if q.firm {
			send(requestLine(c.requests.addUnanswered(), q.method, q.params))
		}
		return result, errNoClient
	}
	send(r.line())
	return await[R](ctx, c, send, r)
}

// An openRequest is a request to the client whose response is awaited.
type openRequest struct {
	clientRequest
	id     jsonrpc.ID
	answer chan jsonrpc.Frame // has room for the one there is
}

// openRequest returns a request that is still to be sent. It reports false if no client is left that could answer.
func (c *conn) openRequest(q clientRequest) (openRequest, bool) {
	r := openRequest{clientRequest: q, answer: make(chan jsonrpc.Frame, 1)}
	var ok bool
	r.id, ok = c.requests.add(func(f jsonrpc.Frame) {
		f.Result = f.Result.Clone() // the line is the reader's
		r.answer <- f
	})
	return r, ok
}

func (r openRequest) line() []byte { return requestLine(r.id, r.method, r.params) }

// await waits for the result of a request until ctx ends. Then it withdraws the request by send.
func await[R any](ctx context.Context, c *conn, send func(lines ...[]byte), r openRequest) (result R, err error) {
	select {
	case f := <-r.answer:
		return resultOf[R](r.method, f)
	case <-ctx.Done():
		if c.abandon(send, r) {
			return result, context.Cause(ctx)
		}
		return resultOf[R](r.method, <-r.answer) // it came at the same time
	}
}

// abandon ends the wait for a response. It reports false if the response is there.
func (c *conn) abandon(send func(lines ...[]byte), r openRequest) bool {
	open := c.requests.replace(r.id, func(f jsonrpc.Frame) {
		if f.Error == nil && r.late != nil {
			r.late(f.Result)
		}
	})
	if open && !r.firm {
		send(notification("$/cancel_request", CancelRequestParams{[]byte(r.id)}))
	}
	return open
}

// resultOf returns the result of a response.
func resultOf[R any](method string, f jsonrpc.Frame) (result R, err error) {
	if f.Error != nil {
		return result, errors.New(cmp.Or(oneLine(f.Error.Message), "error "+strconv.Itoa(f.Error.Code)))
	}
	if string(f.Result) == "null" { // as good as an empty object
		f.Result = jsontext.Value("{}")
	}
	result, ok := decodeResult[R](f.Result)
	if !ok {
		return result, errors.New("the client's answer to " + method + " cannot be read")
	}
	return result, nil
}
