package scaiflux

import (
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/text"
)

// excerpt returns the beginning of a text of the client for an error that repeats it.
func excerpt(s string) string { return text.Clip(s, 64, "…") }

// refusal returns the only place where engine errors become wire errors: the answer to a
// message that was well-formed and cannot be done.
func refusal(err error) *Error {
	_, moved := errors.AsType[*engine.MovedError](err)
	_, locked := errors.AsType[*engine.LockedError](err)
	switch {
	case moved:
		return refuse("session_moved", err.Error())
	case locked:
		return refuse("turn_in_progress", err.Error())
	case errors.Is(err, engine.ErrTurnActive):
		return refuse("turn_in_progress", "a turn is already running; wait for turn_complete or send interrupt")
	case errors.Is(err, engine.ErrBudget):
		return refuse("budget_exceeded", err.Error())
	case errors.Is(err, engine.ErrUnsaved):
		return refuse("session_write_failed", err.Error())
	case errors.Is(err, engine.ErrClosed):
		return refuse("session_closed", "another client has ended the session")
	case errors.Is(err, engine.ErrEmptyPrompt):
		return refuse("invalid_message", "prompt.text: must not be blank")
	}
	return refuse("internal", err.Error())
}

// failureCodes is the wire code and origin of each kind of failure that ends a turn.
var failureCodes = lazy.Value[map[string]struct{ code, origin string }]{New: func() map[string]struct{ code, origin string } {
	return map[string]struct{ code, origin string }{
		engine.FailBudget:            {"budget_exceeded", "local"},
		engine.FailMoved:             {"session_moved", "local"},
		engine.FailUnsaved:           {"session_write_failed", "local"},
		string(model.NotConfigured):  {"provider_not_configured", "local"},
		string(model.Auth):           {"provider_auth", "remote"},
		string(model.RateLimited):    {"provider_rate_limited", "remote"},
		string(model.Quota):          {"provider_quota", "remote"},
		string(model.Rejected):       {"provider_rejected", "remote"},
		string(model.ModelNotFound):  {"provider_rejected", "remote"},
		string(model.ContextTooLong): {"context_length_exceeded", "remote"},
		string(model.Overloaded):     {"provider_unavailable", "remote"},
		string(model.BrokenStream):   {"provider_protocol", "remote"},
		string(model.Unreachable):    {"provider_unreachable", "unknown"},
	}
}}

// failed returns the error that precedes the turn_complete of a failed turn.
func failed(turn event.TurnID, f *event.Failure) *Error {
	e := &Error{Type: "error", Code: "internal", Origin: "local", Message: "the turn failed", TurnID: string(turn)}
	if f == nil {
		return e
	}
	e.Message = f.Message
	if c, ok := failureCodes.Get()[f.Kind]; ok {
		e.Code, e.Origin = c.code, c.origin
	}
	return e
}
