package loaf

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// wireError returns the only place where engine errors become wire errors: the answer to a request
// that was well-formed and cannot be done.
func wireError(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	_, moved := errors.AsType[*engine.MovedError](err)
	_, locked := errors.AsType[*engine.LockedError](err)
	switch {
	case errors.Is(err, engine.ErrTurnActive):
		return errBusy
	case moved:
		return internal(KindMoved, err.Error())
	case locked:
		return internal(KindBusy, err.Error())
	case errors.Is(err, engine.ErrNoSession):
		return internal(KindNotFound, err.Error())
	case errors.Is(err, engine.ErrInterrupted):
		return internal("", "the compression was interrupted")
	case errors.Is(err, engine.ErrBudget):
		return internal(KindBudget, err.Error())
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return internal(KindUnknown, err.Error())
	case errors.Is(err, engine.ErrUnsaved):
		return internal("", engine.ErrUnsaved.Error()+dialect.UnsavedCause(err))
	case errors.Is(err, engine.ErrUnavailable):
		return internal(KindUnavailable, engine.ErrUnavailable.Error())
	}
	return internal("", err.Error())
}

// internal returns what this protocol calls every failure of the application; kind is what a
// program can act on.
func internal(kind, message string) *jsonrpc.Error {
	return failure(jsonrpc.CodeInternalError, message, ErrorData{Reason: ReasonInternalError, Kind: kind})
}

func unknownSession(id string) *jsonrpc.Error {
	return internal(KindUnknownSession, "unknown session: "+abridged(id))
}

// These are data that the linker lays out: encoding their data would make each start slower.
var (
	errBusy = &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: "session is busy; use enqueue=true to queue the prompt",
		Data: jsontext.Value(`{"reason":"internal_error","kind":"busy"}`),
	}
	errShuttingDown = &jsonrpc.Error{Code: CodeServerError, Message: "server is shutting down", Data: jsontext.Value(`{"reason":"shutting_down"}`)}
)
