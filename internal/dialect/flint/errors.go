package flint

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// failure returns the only place where engine errors become wire errors: the answer to a request
// about a thread that was well-formed and cannot be done.
func failure(thread string, err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	_, moved := errors.AsType[*engine.MovedError](err)
	_, locked := errors.AsType[*engine.LockedError](err)
	switch {
	case errors.Is(err, engine.ErrNoSession), errors.Is(err, engine.ErrClosed) && !moved: // the second between two requests
		return threadNotFound(thread)
	case errors.Is(err, engine.ErrTurnActive):
		return &jsonrpc.Error{Code: CodeTurnInProgress, Message: "Turn already in progress"}
	case moved:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The thread has moved: " + err.Error()}
	case locked:
		return &jsonrpc.Error{Code: CodeTurnInProgress, Message: "Turn already in progress: " + err.Error()}
	case errors.Is(err, engine.ErrNoFolder):
		return invalidParams("cwd cannot be used: the folder is not there")
	case errors.Is(err, engine.ErrBadCursor):
		return invalidParams("cursor")
	case errors.Is(err, engine.ErrEmptyPrompt):
		return invalidParams("input must not be empty")
	case errors.Is(err, engine.ErrBudget):
		return &jsonrpc.Error{Code: codeBudget, Message: "No turn begins: " + err.Error()}
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The outcome is unknown: " + err.Error()}
	case errors.Is(err, engine.ErrUnsaved):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The thread cannot be saved" + dialect.UnsavedCause(err)}
	case errors.Is(err, engine.ErrUnavailable):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The store cannot be read"}
	}
	return internalError()
}

// codeBudget is a code of our own: the document has none for what is used up.
const codeBudget = -32004

func unknownModel(id string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknownModelText(id)}
}

// unknownModelText has words that clients look for: they try again with their default then.
func unknownModelText(id string) string { return "Unknown model: " + abridged(id) }

func internalError() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
}

// errNotRunning: there is no such turn to interrupt.
var errNotRunning = &jsonrpc.Error{Code: CodeNotRunning, Message: "No turn in progress"}

// errElsewhere: there is such a turn, and only the process that runs it can interrupt it.
var errElsewhere = &jsonrpc.Error{Code: CodeNotRunning, Message: "The turn runs in another process, which alone can interrupt it"}

// failureInfos is errorInfo for each kind of failure that ends a turn.
var failureInfos = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		string(model.NotConfigured):  "Unauthorized",
		string(model.Auth):           "Unauthorized",
		string(model.RateLimited):    "RateLimitExceeded",
		string(model.Quota):          "UsageLimitExceeded",
		string(model.Rejected):       "BadRequest",
		string(model.ModelNotFound):  "ModelNotFound",
		string(model.ContextTooLong): "ContextWindowExceeded",
		string(model.Overloaded):     "ServerOverloaded",
		string(model.BrokenStream):   "ResponseStreamDisconnected",
		string(model.Unreachable):    "HttpConnectionFailed",
		engine.FailBudget:            "UsageLimitExceeded",
		engine.FailInternal:          "InternalServerError",
	}
}}

// turnError returns why a turn failed, or is tried again.
func turnError(f *event.Failure) TurnError {
	if f == nil {
		return TurnError{Message: "The turn failed", ErrorInfo: "Other"}
	}
	info := cmp.Or(failureInfos.Get()[f.Kind], "Other")
	if f.Kind == string(model.Rejected) && f.Status == http.StatusNotFound {
		info = "ModelNotFound"
	}
	message := cmp.Or(f.Message, fmt.Sprintf("The turn failed: %s", f.Kind))
	if f.Kind == string(model.ModelNotFound) {
		message = unknownModelText(f.Model) + ": " + message
	}
	return TurnError{Message: message, ErrorInfo: info, HTTPStatusCode: f.Status}
}

// A connection is initialized first, and once.
var (
	errNotInitialized = &jsonrpc.Error{Code: CodeNotInitialized, Message: "Not initialized"}
	errInitialized    = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Already initialized"}
)
