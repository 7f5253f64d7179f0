package pisces

import (
	"errors"
	"strconv"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

// busyText is the answer to a prompt without a StreamingBehavior while a run is on.
const busyText = "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion."

// problemOf returns the only place where errors of the engine become texts of this protocol.
func problemOf(err error) string {
	spent, isSpent := errors.AsType[*engine.BudgetError](err)
	provider, isProvider := errors.AsType[*model.Error](err)
	switch {
	case errors.Is(err, engine.ErrTurnActive):
		return busyText
	case errors.Is(err, engine.ErrNothingToCompact):
		return "Nothing to compact (session too small)"
	case errors.Is(err, engine.ErrInterrupted):
		return "Compaction cancelled" // nothing else that is waited for can be
	case errors.Is(err, engine.ErrUnavailable):
		return "The store cannot be read."
	case errors.Is(err, engine.ErrBadHead):
		return "Invalid entry ID for branching"
	case isSpent:
		return "Session budget exceeded (" + string(spent.Reason) + ")"
	case isProvider && provider.Kind == model.NotConfigured && provider.Provider != "":
		return "No API key found for " + provider.Provider + ". " + provider.Message
	case isProvider && provider.Kind == model.NotConfigured:
		return "No model selected. " + provider.Message
	}
	return err.Error()
}

// failed returns the answer that reports the failure of a command to its sender.
func failed(c command, problem string) *Response {
	return &Response{ID: c.id, Command: c.name, Error: problem}
}

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 200) }

// index is [i] of a path.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }
