package codex

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how this protocol does JSON-RPC, in and out.
var frames = jsonrpc.Options{Object: wire.ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true}}

// A request waits for one answer with its id.
type request struct {
	id     jsonrpc.ID
	method string
	params jsontext.Value // refers to the line
}

// A response answers a request of ours, or one that was never made.
type response struct {
	id     jsonrpc.ID
	result jsontext.Value // nil if there is an err; refers to the line
	err    *jsonrpc.Error
}

// object returns the params of a request; absent ones are an empty object.
func (r request) object() (wire.Object, error) {
	params := r.params
	if params == nil {
		params = jsontext.Value("{}")
	}
	obj, err := wire.OpenObject(params, frames.Object)
	if err != nil {
		return obj, invalid("params must be an object")
	}
	return obj, nil
}

// decode reads the result of a response. It reports false for an error, and for a result that is something else.
func (r response) decode(dst any) bool {
	obj, err := wire.OpenObject(r.result, frames.Object) // no result is no object
	return err == nil && obj.Decode(dst) == nil
}

// paramsError returns the answer to a request whose params are wrong.
func paramsError(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		return invalid(fieldClause(field))
	}
	return internalError()
}

// fieldClause names the member that is wrong, and why.
func fieldClause(e *wire.FieldError) string {
	if e.Missing {
		return "missing field `" + e.Field + "`"
	}
	if e.Field == "" {
		return "params " + e.Clause()
	}
	return e.Field + " " + e.Clause()
}

// problem returns the error about a member, worded to follow its name.
func problem(member, what string) error { return &wire.FieldError{Field: member, Problem: what} }

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 200) }
