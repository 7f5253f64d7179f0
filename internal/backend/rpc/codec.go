package rpc

import (
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// codeMethodNotFound is the code of errors for methods that are not known.
const codeMethodNotFound = -32601

// A Codec reads and writes the frames of a protocol, a line each. Lines that it returns have no line end.
type Codec interface {
	// Parse reads a line. The values of the frame refer to it. An answer is a response to a request of Conn. A line that is not ok is
	// skipped.
	Parse(line []byte) (f Frame, answer, ok bool)
	// Request returns a request. Params are an object; nil: there are none.
	Request(id jsonrpc.ID, method string, params []byte) []byte
	// Notification returns a request that gets no answer.
	Notification(method string, params []byte) []byte
	// Result returns the answer to a request of the agent.
	Result(id jsonrpc.ID, result []byte) []byte
	// Refusal returns the answer to a request of the agent that is not known.
	Refusal(id jsonrpc.ID, method string) []byte
}

// Options returns the Codec of agents that speak JSON-RPC: with the member jsonrpc where version is set.
func Options(version bool) Codec {
	return jsonRPC{jsonrpc.Options{Version: version, AnyID: true, Object: wire.ObjectOptions{LastDuplicateWins: true, Open: true}}}
}

type jsonRPC struct{ options jsonrpc.Options }

// Parse implements Codec.
func (c jsonRPC) Parse(line []byte) (f Frame, answer, ok bool) {
	p, invalid := jsonrpc.Parse(line, c.options)
	if invalid != nil {
		return f, false, false
	}
	f = Frame{ID: p.ID, Method: p.Method, Params: p.Params, Result: p.Result}
	if p.Error != nil {
		e := *p.Error
		e.Data = e.Data.Clone()
		f.Err = &e
	}
	return f, p.Kind == jsonrpc.Response, true
}

// Request implements Codec.
func (c jsonRPC) Request(id jsonrpc.ID, method string, params []byte) []byte {
	return c.options.AppendRequest(nil, id, method, params)
}

// Notification implements Codec.
func (c jsonRPC) Notification(method string, params []byte) []byte {
	return c.options.AppendNotification(nil, method, params)
}

// Result implements Codec.
func (c jsonRPC) Result(id jsonrpc.ID, result []byte) []byte {
	return c.options.AppendResult(nil, id, result)
}

// Refusal implements Codec.
func (c jsonRPC) Refusal(id jsonrpc.ID, method string) []byte {
	return c.options.AppendError(nil, id, &jsonrpc.Error{Code: codeMethodNotFound, Message: "method not found: " + method})
}
