package loaf

import (
	"bytes"
	"errors"
	"slices"
	"unicode"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how this protocol does JSON-RPC, in and out: to the letter, and one way.
var frames = jsonrpc.Options{
	Version: true, AnyID: true, NullErrorID: true, OneWay: true, NonBlankMethod: true,
	Object: wire.ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true},
}

// What a line can be.
type (
	// A request waits for one answer with its id.
	request struct {
		id     jsonrpc.ID
		method string
		params any // a pointer to the params of the method: *SessionSendParams …, or *NoParams
	}

	// What is ignored is never answered, and nothing of it is done: a notification, of
	// whatever method, or a blank line.
	ignored struct{}

	// A refusal is the error that answers a line which changes nothing.
	refusal struct {
		id     jsonrpc.ID
		method string // of a request whose method exists; else empty
		err    *jsonrpc.Error
	}
)

// decode reads one line: a request, what is ignored, or the refusal that answers the line.
// It looks at everything that can be judged without knowing a session, a model or a file.
func decode(line []byte) (message any, refused *refusal) {
	line = bytes.TrimFunc(line, isBlank)
	if len(line) == 0 {
		return ignored{}, nil
	}
	f, invalid := jsonrpc.Parse(line, frames)
	if invalid != nil {
		return nil, refuseLine(invalid)
	}
	if f.Kind == jsonrpc.Notification {
		return ignored{}, nil
	}
	params, err := methods.Get().Params(f, frames)
	if err != nil {
		return nil, refuseParams(f, err)
	}
	return request{f.ID, f.Method, params}, nil
}

// isBlank reports whether a character is trimmed from lines and texts.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// refuse returns the refusal that says this.
func refuse(id jsonrpc.ID, code int, message string, data ErrorData) *refusal {
	return &refusal{id: id, err: failure(code, message, data)}
}

// failure returns an error with its data.
func failure(code int, message string, data ErrorData) *jsonrpc.Error {
	value, _ := json.Marshal(data) // of valid strings: cannot fail
	return &jsonrpc.Error{Code: code, Message: message, Data: value}
}

// refuseLine returns the answer to a line that is no frame.
func refuseLine(invalid *jsonrpc.Invalid) *refusal {
	switch invalid.Kind {
	case jsonrpc.NotJSON:
		return refuse(invalid.ID, jsonrpc.CodeParseError, "parse error: "+invalid.Detail, ErrorData{Reason: ReasonParseError})
	case jsonrpc.Batch:
		return refuse(jsonrpc.Null, jsonrpc.CodeInvalidRequest, "batch requests are not supported", ErrorData{Reason: ReasonBatch})
	}
	return refuse(jsonrpc.Null, jsonrpc.CodeInvalidRequest, "invalid request", ErrorData{Reason: ReasonInvalidRequest})
}

// refuseLong returns the answer to a line over the limit that begins like this.
func refuseLong(beginning []byte) *refusal {
	return refuse(jsonrpc.RecoverID(beginning, frames), jsonrpc.CodeInvalidRequest, "line too long", ErrorData{Reason: ReasonLineTooLong})
}

// refuseParams returns the answer to a request whose method or params are wrong.
func refuseParams(f jsonrpc.Frame, err error) *refusal {
	if errors.Is(err, jsonrpc.ErrNoMethod) {
		name := abridged(f.Method)
		return refuse(f.ID, jsonrpc.CodeMethodNotFound, "method not found: "+name, ErrorData{Reason: ReasonMethodNotFound, Method: name})
	}
	e, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case ok:
	case errors.Is(err, jsonrpc.ErrNotObject):
		e = failure(jsonrpc.CodeInvalidParams, "invalid params for "+f.Method+": expected object", ErrorData{Reason: ReasonInvalidParams})
	default:
		e = failure(jsonrpc.CodeInternalError, "internal error", ErrorData{Reason: ReasonInternalError})
	}
	return &refusal{f.ID, f.Method, e}
}

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 200) }

// methodNames returns the methods as the handshake lists them.
func methodNames() []string { return slices.Sorted(slices.Values(methods.Get().Names())) }
