package jsonrpc

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// The error codes that JSON-RPC defines.
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

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// parseError parses the error of a client's response. Clients differ in its content, so nothing is
// required: a member of another type is ignored.
func parseError(value jsontext.Value) *Error {
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
		e.Message, _ = stringValue(message)
	}
	if data, ok := obj.Get("data"); ok && data.Kind() != jsontext.KindNull {
		e.Data = data
	}
	return e
}
