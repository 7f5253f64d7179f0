package parley

import (
	"errors"
	"fmt"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/record"
)

// The errors to branch on with errors.Is. The text of a returned error has more: the session, the process, the model.
var (
	// ErrClosed is returned after Close, of the host or of the session.
	ErrClosed = errors.New("closed")
	// ErrNoSession is returned for an id that no session has.
	ErrNoSession = errors.New("no such session")
	// ErrExists is returned by Host.Create for an id that a session has.
	ErrExists = errors.New("the session exists")
	// ErrInUse is returned while another host, of this process or of another one, works on the session. A session that is
	// idle there can be opened and prompted here: each reads first what the other has written.
	ErrInUse = errors.New("the session is in use elsewhere")
	// ErrDamaged is returned by Host.Open for a session whose files are not as they were written.
	ErrDamaged = errors.New("the session is damaged")
	// ErrBusy is returned by Session.Prompt while a turn runs, unless Prompt.IfBusy says what to do.
	ErrBusy = errors.New("a turn is running")
	// ErrIdle is returned by Session.Steer and Session.FollowUp while no turn runs.
	ErrIdle = errors.New("no turn is running")
	// ErrEmptyPrompt is returned for a prompt without images and without a text that is not blank.
	ErrEmptyPrompt = errors.New("the prompt is empty")
	// ErrNotPending is returned for an approval or a question that does not wait for an answer: it has one, or was withdrawn.
	ErrNotPending = errors.New("no such pending approval or question")
	// ErrNoModel is returned for a model that is not known or has no key.
	ErrNoModel = errors.New("the model cannot be called")
	// ErrNothingToCompact is returned by Session.Compact for a history that is too short for a summary.
	ErrNothingToCompact = errors.New("nothing to compact")
	// ErrBudget is returned when the configured budget is used up.
	ErrBudget = errors.New("the budget is used up")
	// ErrUnsaved is returned when the disk cannot be written; nothing was accepted.
	ErrUnsaved = errors.New("the session cannot be saved")
	// ErrUnavailable is returned when the stored sessions cannot be read now, for a reason that is none of the session; try again later.
	ErrUnavailable = errors.New("the store cannot be read")
	// ErrSubagent is returned for a prompt to the session of a subagent, which only its parent prompts.
	ErrSubagent = errors.New("the session of a subagent takes no prompts")
	// ErrBatch is returned for a prompt to the session of a task of a batch.
	ErrBatch = errors.New("the session of a batch takes no prompts: fork it to continue from it")
)

// A TurnError is returned by Session.Run for a turn that did not complete.
type TurnError struct {
	Ended record.TurnEnded
}

// Error returns the reason, and the message of the failure if there is one.
func (e *TurnError) Error() string {
	if f := e.Ended.Failure; f != nil {
		return fmt.Sprintf("turn %s: %s", e.Ended.Reason, f.Message)
	}
	return "turn " + e.Ended.Reason
}

// kinds are the errors of the engine and those that callers of this package branch on.
var kinds = []struct{ engine, public error }{
	{engine.ErrClosed, ErrClosed},
	{engine.ErrNoSession, ErrNoSession},
	{engine.ErrExists, ErrExists},
	{engine.ErrTurnActive, ErrBusy},
	{engine.ErrCommandRunning, ErrBusy},
	{engine.ErrIdle, ErrIdle},
	{engine.ErrEmptyPrompt, ErrEmptyPrompt},
	{engine.ErrNoApproval, ErrNotPending},
	{engine.ErrNoQuestion, ErrNotPending},
	{engine.ErrNothingToCompact, ErrNothingToCompact},
	{engine.ErrBudget, ErrBudget},
	{engine.ErrUnsaved, ErrUnsaved},
	{engine.ErrUnavailable, ErrUnavailable},
	{engine.ErrSubagent, ErrSubagent},
	{engine.ErrBatch, ErrBatch},
}

// public returns an error of the engine as one of this package.
func public(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*engine.LockedError](err); ok {
		return &failure{ErrInUse, err}
	}
	if _, ok := errors.AsType[*engine.DamageError](err); ok {
		return &failure{ErrDamaged, err}
	}
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotConfigured {
		return &failure{ErrNoModel, err}
	}
	for _, kind := range kinds {
		if errors.Is(err, kind.engine) {
			return &failure{kind.public, err}
		}
	}
	return err
}

// A failure is an error of the engine that is one of this package.
type failure struct{ kind, cause error }

func (f *failure) Error() string   { return f.cause.Error() }
func (f *failure) Unwrap() []error { return []error{f.kind, f.cause} }
