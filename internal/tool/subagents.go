package tool

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/subagent/verify"
)

// TaskSettings is how the subagents of a session work.
type TaskSettings struct {
	Concurrency  int      // how many work at the same time; 0: as many as there are
	Depth        int      // how many levels of subagents there may be below the session; 0: none
	Spawns       []string // names of the agents that may be had; "*": all
	Isolation    bool     // tasks may be isolated
	Branches     bool     // isolated work comes back as a branch, not as a patch
	BranchPrefix string   // of the branches' names
	Verify       verify.Settings
	// Folder is where results are kept, by the session's settings; nil or "": beside its journal.
	Folder func(event.Settings) string
}

// Subagents has sessions of their own work for a call. It is safe for use by several
// goroutines. Whatever a subagent needs users for is put to those of the call.
type Subagents interface {
	// Reserve is the number of the first of n tasks that nothing else of the session gets.
	Reserve(n int) int
	// Run runs a subagent to its end; when ctx ends it is interrupted, and all below it. It does
	// not begin when a budget is used up: then the Reason is event.TurnBudget.
	Run(ctx context.Context, w SubagentTask) SubagentResult
	// Record stores a fact about the call's subagents.
	Record(e event.Event)
	// Show reports how far they are.
	Show(e event.TasksProgressed)
	// Call is the call.
	Call() event.CallID
	// Folder is where results are kept; "": nowhere.
	Folder() string
}

// SubagentTask is what a subagent has to do.
type SubagentTask struct {
	Task         string // the same for all that work at one task, one after the other
	Agent        string // the kind of the subagent
	Name         string // of its session, for users
	Prompt       string
	Dir          string                     // where it works; absolute
	Instructions string                     // after those of the session
	Tools        []string                   // that it may use, under any of their names; nil: all
	Backend      string                     // that runs it; "": that of the session
	Models       []string                   // the first that can be called; none of them: the session's
	Thinking     model.Thinking             // "": the session's
	Tasks        *TaskSettings              // of its own subagents; nil: it has none
	SubmitTool   string                     // name of the tool by which it hands its result in
	Submit       func(jsontext.Value) error // is called with that tool's input; an error is sent to the subagent
	Reminder     string                     // sent to it when it ends without having called that tool; "": it need not
	// Extract returns the result that an answer has in itself, as the input of SubmitTool, for an agent that has no such tool; nil:
	// it has. An error reports what is missing, and is sent with Reminder.
	Extract func(answer string) (jsontext.Value, error)
	// Began is called with its session before it begins. It begins only if what was given to record
	// is stored, with which it counts as one more, or if there was nothing to record.
	Began func(session event.SessionID, model string, record func(event.Event) error) error
	Known *KnownFiles        // that subagents have read or written for the task before; nil: none
	Watch func(event.Record) // called with every durable record; from one goroutine
}

// SubagentResult is its result.
type SubagentResult struct {
	Reason    event.TurnReason // "": it could not begin
	Error     string           // why it failed; "" if it did not
	Output    string           // the last it said
	Submitted jsontext.Value   // the input of the call that handed its result in; nil: none did
	Usage     model.Usage
	Cost      float64
}
