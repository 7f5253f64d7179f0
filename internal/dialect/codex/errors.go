package codex

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// codeOverloaded is that of a server that takes nothing more. All other errors of requests have that of an invalid request:
// clients of this family read the texts.
const codeOverloaded = -32001

// invalid returns the error of a request that is not as the schema wants it.
func invalid(what string) *jsonrpc.Error { return refused("Invalid request: " + what) }

// refused returns the error of a request that cannot be done.
func refused(text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}
}

func internalError() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
}

// A connection is initialized first, and once.
var (
	errNotInitialized = refused("Not initialized")
	errInitialized    = refused("Already initialized")
	errNoActiveTurn   = refused("no active turn to steer")
)

// noRollout is the error of a thread that is not stored, noThread that of one that is not there to work with.
func noRollout(id string) *jsonrpc.Error {
	return refused("no rollout found for thread id " + abridged(id))
}

func noThread(id string) *jsonrpc.Error { return refused("thread not found: " + abridged(id)) }

// failure is the only place where engine errors become wire errors: the answer to a request about a thread that was
// well-formed and cannot be done.
func failure(thread string, err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if moved, ok := errors.AsType[*engine.MovedError](err); ok {
		return refused(moved.Error())
	}
	if locked, ok := errors.AsType[*engine.LockedError](err); ok {
		if locked.Owner != "" { // the number of a process of another host is no help
			return refused(locked.Error())
		}
		return refused("session " + thread + " is being written by another process (pid " + strconv.Itoa(locked.PID) + "): " + locked.Remedy())
	}
	switch {
	case errors.Is(err, engine.ErrNoSession):
		return noRollout(thread)
	case errors.Is(err, engine.ErrTooManyOpen):
		return &jsonrpc.Error{Code: codeOverloaded, Message: "Server overloaded; retry later."}
	case errors.Is(err, engine.ErrNotSteerable):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "cannot steer a review turn", Data: marshal(TurnError{
			Message:        "cannot steer a review turn",
			CodexErrorInfo: &CodexErrorInfo{ActiveTurnNotSteerable: &CodexErrorInfoActiveTurnNotSteerable{NonSteerableTurnKindReview}},
		})}
	case errors.Is(err, engine.ErrTurnActive):
		return refused("a turn is already running in thread " + thread)
	case errors.Is(err, engine.ErrIdle):
		return errNoActiveTurn
	case errors.Is(err, engine.ErrNoFolder):
		return invalid("cwd cannot be used: the folder is not there")
	case errors.Is(err, engine.ErrBadCursor):
		return invalid("cursor is not one of this list")
	case errors.Is(err, engine.ErrEmptyPrompt):
		return invalid("input must not be empty")
	case errors.Is(err, engine.ErrBudget), errors.Is(err, engine.ErrSubagent), errors.Is(err, engine.ErrBatch), errors.Is(err, engine.ErrClosed),
		errors.Is(err, engine.ErrNothingToCompact), errors.Is(err, engine.ErrOfBackend), errors.Is(err, engine.ErrCommandRunning):
		return refused(err.Error())
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the outcome is unknown: " + err.Error()}
	case errors.Is(err, engine.ErrUnsaved):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the thread cannot be saved" + dialect.UnsavedCause(err)}
	case errors.Is(err, engine.ErrUnavailable):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the store cannot be read"}
	}
	return internalError()
}

// failureInfos is codexErrorInfo for each kind of failure that ends a turn and has a word.
var failureInfos = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		string(model.NotConfigured):  "unauthorized",
		string(model.Auth):           "unauthorized",
		string(model.RateLimited):    "rateLimitExceeded",
		string(model.Quota):          "usageLimitExceeded",
		string(model.Rejected):       "badRequest",
		string(model.ModelNotFound):  "modelNotFound",
		string(model.ContextTooLong): "contextWindowExceeded",
		string(model.Overloaded):     "serverOverloaded",
		engine.FailBudget:            "sessionBudgetExceeded",
		engine.FailInternal:          "internalServerError",
	}
}}

// turnError returns why a turn failed, or is tried again.
func turnError(f *event.Failure) *TurnError {
	if f == nil {
		return &TurnError{Message: "the turn failed", CodexErrorInfo: &CodexErrorInfo{Word: "other"}}
	}
	info := &CodexErrorInfo{Word: cmp.Or(failureInfos.Get()[f.Kind], "other")}
	var status *int64
	if f.Status != 0 {
		code := int64(f.Status)
		status = &code
	}
	switch {
	case f.Kind == string(model.Unreachable):
		info.HTTPConnectionFailed = &CodexErrorInfoHTTPConnectionFailed{HTTPStatusCode: status}
	case f.Kind == string(model.BrokenStream):
		info.ResponseStreamDisconnected = &CodexErrorInfoResponseStreamDisconnected{HTTPStatusCode: status}
	case f.Kind == string(model.Rejected) && f.Status == http.StatusNotFound:
		info.Word = "modelNotFound"
	}
	return &TurnError{Message: cmp.Or(f.Message, fmt.Sprintf("the turn failed: %s", f.Kind)), CodexErrorInfo: info}
}
