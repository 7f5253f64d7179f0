package engine

import (
	"errors"
	"fmt"
	"strconv"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sessionlog"
	"parley.dev/parley/internal/tool"
)

// The codes of the Notices that callers know.
const (
	NoticeUnsaved               = "session_write_failed" // the journal cannot be written
	NoticeCompactionFailed      = "compaction_failed"    // one that began by itself, or of a client that does not wait
	NoticeCompactionInterrupted = "compaction_interrupted"
	NoticeHookFailed            = "hook_failed"
	NoticeHookMessage           = "hook_message"      // of a hook, for the user
	NoticeShortened             = "context_shortened" // texts are cut to fit the model's window
	NoticeEmptyAnswer           = "empty_answer"
	NoticeResultsDropped        = "results_dropped"  // old results of tools left the history
	NoticeRequestChanged        = "request_changed"  // the endpoint refused a part of it, which is left out
	NoticeServerPrompt          = "server_prompt"    // the text of a prompt of a server is not available
	NoticeToolsLeftOut          = "tools_left_out"   // the endpoint takes fewer tools
	NoticePicturesRefused       = "pictures_refused" // the endpoint refused a request for its pictures
	NoticeTextRefused           = "text_refused"     // its moderation refused texts, which are left out of later requests
)

// The errors that callers branch on.
var (
	// ErrTurnActive: the session already works, and its options refuse a second prompt.
	ErrTurnActive = errors.New("a turn is already running")
	// ErrNotSteerable: the running turn takes no prompts, see Tuning.NoSteering. It is an ErrTurnActive.
	ErrNotSteerable = fmt.Errorf("%w, and takes no more input", ErrTurnActive)
	// ErrIdle: there is no turn to talk into.
	ErrIdle = errors.New("no turn is running")
	// ErrNoApproval: no approval of that id is pending: never asked, answered, or withdrawn.
	ErrNoApproval = errors.New("no such pending approval")
	// ErrNoQuestion: no question of that id is pending.
	ErrNoQuestion = errors.New("no such pending question")
	// ErrSubagent: the session works for a call of another one, which alone prompts it.
	ErrSubagent = errors.New("the session of a subagent takes no prompts")
	// ErrBatch: the session runs a task of a batch, whose worker alone prompts it.
	ErrBatch = errors.New("the session of a batch takes no prompts: fork it to continue from it")
	// ErrBadID: no store can have a session of that id.
	ErrBadID = fmt.Errorf("the id of a session must be 1 to %d bytes of UTF-8 without separators and control characters, and not only dots", journal.MaxID)
	// ErrClosed: the session is closed.
	ErrClosed = errors.New("session is closed")
	// ErrTooManyOpen: Sharing.MaxOpen sessions are open.
	ErrTooManyOpen = errors.New("the host has as many sessions open as it may: close some, or wait until idle ones are closed")
	// ErrUnsaved: the journal cannot be written; nothing was accepted.
	ErrUnsaved = sessionlog.ErrUnsaved
	// ErrUnavailable: the store does not answer, or cannot be read; nothing was done, and a later call may succeed.
	ErrUnavailable = errors.New("the store cannot be read")
	// ErrOfBackend: a back end runs the turns, and its agent has the context.
	ErrOfBackend = errors.New("the agent of the back end has the context of this session: it cannot be compacted here")
	// ErrNothingToCompact: the history is too short to be worth a summary.
	ErrNothingToCompact = errors.New("nothing to compact")
	// ErrInterrupted is the cause of a turn's context once it is interrupted.
	ErrInterrupted = errors.New("interrupted")
	// ErrEmptyPrompt: a prompt without images and without a text that is not blank; see Prompt.Blank.
	ErrEmptyPrompt = errors.New("the prompt is empty")
	// ErrBadHead: a record that is not a message, or whatever else the history can begin
	// to go to.
	ErrBadHead = errors.New("not a message of the session")
	// ErrNoRecord: no record has that number.
	ErrNoRecord = errors.New("no such record")
	// ErrNoTurn: the session has no turn of that id.
	ErrNoTurn = errors.New("no such turn")
	// ErrTooMuch: the files are too large to be restored together.
	ErrTooMuch = tool.ErrTooMuch
	// ErrCommandRunning: a command of a user runs already.
	ErrCommandRunning = errors.New("a command of the user is already running")
	// ErrNoFolder: the folder that turns work in is not there.
	ErrNoFolder = errors.New("the session's folder cannot be used")
	// ErrBudget: the budget is used up; the error is a *BudgetError.
	ErrBudget = budget.ErrUsedUp
	// ErrBadCursor: not a cursor of this list.
	ErrBadCursor = journal.ErrCursor
	// ErrNoSession: no session has that id.
	ErrNoSession = journal.ErrNotFound
	// ErrExists: a session of that id exists.
	ErrExists = journal.ErrExists
)

// A RootError reports a folder of [Options.Roots] that cannot be used.
type RootError struct {
	Root  string // as the caller wrote it
	Cause error
}

func (e *RootError) Error() string { return fmt.Sprintf("further folder %s: %v", e.Root, e.Cause) }

func (e *RootError) Unwrap() error { return e.Cause }

// The typed errors that callers branch on, under the names they know them by.
type (
	// BudgetError says which limit was reached.
	BudgetError = budget.Error
	// A LockedError reports that another process has the session.
	LockedError = journal.LockedError
	// A DamageError reports that the journal of the session is not what was written.
	DamageError = journal.DamageError
	// ConflictError says which file is not as tools left it.
	ConflictError = tool.ConflictError
)

// An UnrestorableError reports a file that cannot be put back as it was.
type UnrestorableError struct {
	Path    string // as RestoredFile has it
	Outside bool   // tools may not write it without an approval; else its content then is not known
}

func (e *UnrestorableError) Error() string {
	if e.Outside {
		return strconv.Quote(e.Path) + " is not restored: tools may not write it without an approval"
	}
	return strconv.Quote(e.Path) + " cannot be restored: its content before the change is not stored"
}

var (
	errNoClient  = errors.New("no client is there to answer")
	errCancelled = errors.New("the questions were cancelled")
)

// notRun returns the error of a call that did not begin because of err.
func notRun(err error) error { return fmt.Errorf("not run: %w", err) }

func failing(err error) *event.Failure {
	if e, ok := errors.AsType[*BudgetError](err); ok {
		return &event.Failure{Kind: FailBudget, Message: e.Error(), Code: string(e.Reason)}
	}
	if p, ok := errors.AsType[*model.Error](err); ok {
		return &event.Failure{Kind: string(p.Kind), Message: p.Error(), Provider: p.Provider, Code: p.Code, Status: p.Status, Model: p.Model}
	}
	return &event.Failure{Kind: FailInternal, Message: err.Error()}
}
