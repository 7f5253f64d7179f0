package jsonrpc

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// The codes that JSON-RPC itself defines.
const (
	CodeParseError     = -32700 // not JSON
	CodeInvalidRequest = -32600 // not a frame, or not at this moment
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// An Error is the error object of a response.
type Error struct {
	Code    int
	Message string         // one sentence
	Data    jsontext.Value // nil if there is none
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// errorOf reads the error of a client's response. Clients differ in what they put there, so
// nothing is demanded: what is not of its type stays zero.
func errorOf(value jsontext.Value) *Error {
	obj, err := wire.OpenObject(value, wire.ObjectOptions{})
	if err != nil {
		return &Error{}
	}
	e := &Error{}
	if code, ok := obj.Get("code"); ok && code.Kind() == jsontext.KindNumber {
		if n, err := strconv.ParseFloat(string(code), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			e.Code = int(n)
		}
	}
	if message, ok := obj.Get("message"); ok {
		e.Message, _ = text(message)
	}
	if data, ok := obj.Get("data"); ok && data.Kind() != jsontext.KindNull {
		e.Data = data
	}
	return e
}
