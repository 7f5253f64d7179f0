package agentair

import (
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
)

// refusal returns the only place where engine errors become messages: the answer to what was
// well-formed and cannot be done.
func refusal(session int64, err error) Error {
	text := err.Error()
	switch {
	case errors.Is(err, engine.ErrUnsaved) && !errors.Is(err, engine.ErrOutcomeUnknown):
		text = "The session cannot be saved" + dialect.UnsavedCause(err)
	case errors.Is(err, engine.ErrUnavailable):
		text = "The store cannot be read"
	case errors.Is(err, engine.ErrBudget), errors.Is(err, engine.ErrOutcomeUnknown), errors.Is(err, engine.ErrClosed):
		text = strings.ToUpper(text[:1]) + text[1:]
	case errors.Is(err, engine.ErrEmptyPrompt):
		text = "Empty message"
	case errors.Is(err, engine.ErrNothingToCompact):
		text = "Nothing to compact"
	}
	return Error{Message: text, SessionID: &session}
}

// errRepeated is the error of a message whose prompt id the session has already. Each connection has ids of its own, so it is
// a defect, which the client can see: no Complete would come.
var errRepeated = errors.New("the message was sent before")

func sessionNotFound(session int64) Error {
	return Error{Message: fmt.Sprintf("Session not found: %d", session), SessionID: &session}
}

func noPermission(id string, session *int64) Error {
	return Error{Message: "No pending permission request found: " + id, SessionID: session}
}

func noInteraction(id string, session *int64) Error {
	return Error{Message: "No pending interaction found: " + id, SessionID: session}
}

func failed(session int64, format string, args ...any) Error {
	return Error{Message: fmt.Sprintf(format, args...), SessionID: &session}
}
