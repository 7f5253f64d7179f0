package acp

import (
	"context"
	"errors"

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
	id := jsonrpc.Number(r.next)
	r.next++
	r.open[id] = answered
	return id, true
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

// close accepts no requests any more.
func (r *requests) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// errNoClient reports that no client is left that could answer.
var errNoClient = errors.New("the client is gone")

// askClient sends a request to the client, after what the client was sent of the session so far, and waits for its result. When
// ctx ends it withdraws the request.
func askClient[R any](ctx context.Context, s *session, method string, params any) (result R, err error) {
	answer := make(chan jsonrpc.Frame, 1)
	id, ok := s.conn.requests.add(func(f jsonrpc.Frame) {
		f.Result = f.Result.Clone() // the line is the reader's
		answer <- f
	})
	if !ok {
		return result, errNoClient
	}
	s.pump.Reply(requestLine(id, method, params))
	select {
	case f := <-answer:
		if f.Error != nil {
			return result, errors.New("the client answers: " + oneLine(f.Error.Message))
		}
		if string(f.Result) == "null" { // as good as an empty object
			return result, nil
		}
		result, ok = decodeResult[R](f.Result)
		if !ok {
			return result, errors.New("the client's answer to " + method + " cannot be read")
		}
		return result, nil
	case <-ctx.Done():
		if line := s.conn.requests.withdraw(id); line != nil {
			s.pump.Reply(line)
		}
		return result, context.Cause(ctx)
	case <-s.conn.life.Done():
		return result, errNoClient
	}
}
