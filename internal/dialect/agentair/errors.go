package agentair

import (
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/engine"
)

// refusal returns the only place where engine errors become messages: the answer to what was
// well-formed and cannot be done.
func refusal(session int64, err error) Error {
	text := err.Error()
	switch {
	case errors.Is(err, engine.ErrUnsaved) && !errors.Is(err, engine.ErrOutcomeUnknown):
		text = "The session cannot be saved"
	case errors.Is(err, engine.ErrBudget), errors.Is(err, engine.ErrOutcomeUnknown), errors.Is(err, engine.ErrClosed):
		text = strings.ToUpper(text[:1]) + text[1:]
	case errors.Is(err, engine.ErrEmptyPrompt):
		text = "Empty message"
	case errors.Is(err, engine.ErrNothingToCompact):
		text = "Nothing to compact"
	}
	return Error{Message: text, SessionID: &session}
}

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
