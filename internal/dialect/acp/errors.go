package acp

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// The error codes of this protocol, besides those of JSON-RPC.
const (
	CodeAuthRequired = -32000
	CodeNotFound     = -32002
	CodeCancelled    = -32800
)

// ErrorData is the data of an error.
type ErrorData struct {
	Method    string `json:"method,omitzero"`    // that there is not
	Field     string `json:"field,omitzero"`     // of params, which is wrong
	SessionID string `json:"sessionId,omitzero"` // that there is not
	Reason    string `json:"reason,omitzero"`    // locked, moved, busy, loading, queue_full, outcome_unknown, store_unavailable
	Kind      string `json:"kind,omitzero"`      // of a failure: provider, rate_limit, overloaded, network, context_length, auth, internal
	Status    int    `json:"status,omitzero"`    // HTTP, of the provider
}

// failure returns an error; its message is one sentence.
func failure(code int, message string, data ErrorData) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: code, Message: oneLine(message)}
	if data != (ErrorData{}) {
		e.Data = jsontext.Value(marshal(data))
	}
	return e
}

func invalidMember(member, problem string) *jsonrpc.Error {
	return failure(jsonrpc.CodeInvalidParams, member+" "+problem, ErrorData{Field: member})
}

func noSession(id string) *jsonrpc.Error {
	return failure(CodeNotFound, "Resource not found", ErrorData{SessionID: abridged(id)})
}

func noMethod(method string) *jsonrpc.Error {
	return failure(jsonrpc.CodeMethodNotFound, "Method not found", ErrorData{Method: abridged(method)})
}

func busy(message, reason string) *jsonrpc.Error {
	return failure(jsonrpc.CodeInvalidRequest, message, ErrorData{Reason: reason})
}

// These are data that the linker lays out: encoding their data would make each start slower.
var (
	errNotInitialized = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize first"}
	errLong           = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The line is longer than 64 MiB"}
	errAuthRequired   = &jsonrpc.Error{Code: CodeAuthRequired, Message: "Authentication required"}
	errCancelled      = &jsonrpc.Error{Code: CodeCancelled, Message: "Request cancelled"}
	errLoading        = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The session is being loaded", Data: jsontext.Value(`{"reason":"loading"}`)}
	errTurnRuns       = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "A turn of the session runs", Data: jsontext.Value(`{"reason":"busy"}`)}
	errQueueFull      = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Too many prompts wait", Data: jsontext.Value(`{"reason":"queue_full"}`)}
	errInternal       = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error", Data: jsontext.Value(`{"kind":"internal"}`)}
)

// wireError is the only place where errors of the engine become those of the protocol: the answer to a request that is
// well-formed and cannot be done.
func wireError(session string, err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		return failure(jsonrpc.CodeInternalError, err.Error(), ErrorData{Kind: failureKind(string(e.Kind)), Status: e.Status})
	}
	_, moved := errors.AsType[*engine.MovedError](err)
	_, locked := errors.AsType[*engine.LockedError](err)
	root, badRoot := errors.AsType[*engine.RootError](err)
	switch {
	case moved:
		return busy(err.Error(), "moved")
	case errors.Is(err, engine.ErrNoSession), errors.Is(err, engine.ErrClosed):
		return noSession(session)
	case locked:
		return busy(err.Error(), "locked")
	case errors.Is(err, engine.ErrTurnActive):
		return errTurnRuns
	case errors.Is(err, engine.ErrNoFolder):
		return invalidMember("cwd", "is not there any more")
	case errors.Is(err, engine.ErrBadCursor):
		return invalidMember("cursor", "is not one of this list")
	case errors.Is(err, engine.ErrEmptyPrompt):
		return invalidMember("prompt", "must not be empty")
	case errors.Is(err, engine.ErrTooManyOpen):
		return busy(err.Error(), "too_many_sessions")
	case errors.Is(err, engine.ErrOutside):
		return failure(jsonrpc.CodeInvalidRequest, err.Error(), ErrorData{Reason: "forbidden"})
	case badRoot:
		return invalidMember("additionalDirectories", "has "+abridged(root.Root)+", which cannot be used: "+root.Cause.Error())
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return failure(jsonrpc.CodeInternalError, err.Error(), ErrorData{Reason: "outcome_unknown", Kind: "internal"})
	case errors.Is(err, engine.ErrUnavailable):
		return failure(jsonrpc.CodeInternalError, err.Error(), ErrorData{Reason: "store_unavailable", Kind: "internal"})
	case errors.Is(err, engine.ErrBudget):
		return failure(jsonrpc.CodeInternalError, err.Error(), ErrorData{Kind: "budget"})
	}
	return failure(jsonrpc.CodeInternalError, err.Error(), ErrorData{Kind: "internal"})
}

// failedTurn returns the answer to a prompt whose turn failed. A sign-in may help where a key was refused or is missing.
func (c *conn) failedTurn(f *event.Failure) *jsonrpc.Error {
	if f == nil {
		return errInternal
	}
	if f.Kind == engine.FailMoved {
		return busy(f.Message, "moved")
	}
	if c.cfg.SignIn != nil && failureKind(f.Kind) == "auth" {
		return failure(CodeAuthRequired, f.Message, ErrorData{Kind: "auth", Status: f.Status})
	}
	return failure(jsonrpc.CodeInternalError, f.Message, ErrorData{Kind: failureKind(f.Kind), Status: f.Status})
}

// failureKind returns the word of the protocol for a kind of failure.
func failureKind(kind string) string {
	switch model.ErrorKind(kind) {
	case model.RateLimited, model.Quota:
		return "rate_limit"
	case model.Overloaded:
		return "overloaded"
	case model.Unreachable, model.BrokenStream:
		return "network"
	case model.ContextTooLong:
		return "context_length"
	case model.Auth, model.NotConfigured:
		return "auth"
	case model.Rejected, model.ModelNotFound:
		return "provider"
	}
	return "internal" // what no provider has caused
}

// paramsError returns the answer to a request whose method or params are wrong.
func paramsError(method string, err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		return invalidMember(field.Field, field.Clause())
	}
	switch {
	case errors.Is(err, jsonrpc.ErrNoMethod):
		return noMethod(method)
	case errors.Is(err, jsonrpc.ErrNotObject):
		return failure(jsonrpc.CodeInvalidParams, "params must be an object", ErrorData{Field: "params"})
	}
	return errInternal
}

// lineError returns the answer to a line that is no frame. Its id is null.
func lineError(invalid *jsonrpc.Invalid) *jsonrpc.Error {
	invalidRequest := func(message string) *jsonrpc.Error {
		return failure(jsonrpc.CodeInvalidRequest, message, ErrorData{})
	}
	switch invalid.Kind {
	case jsonrpc.NotJSON:
		return failure(jsonrpc.CodeParseError, "The line is not JSON: "+invalid.Detail, ErrorData{})
	case jsonrpc.Batch:
		return invalidRequest("Batches are not supported: send one message a line")
	case jsonrpc.BadVersion:
		return invalidRequest(`"jsonrpc" must be "2.0"`)
	case jsonrpc.BadID:
		return invalidRequest("id must be an integer, a string or null")
	case jsonrpc.BadMethod:
		return invalidRequest("method must be a string")
	}
	return invalidRequest("The line is no message")
}
