package event

import (
	"parley.dev/parley/internal/model"
)

// SubagentStarted precedes the work of a subagent on a task of a call; exactly one SubagentEnded
// follows, before the end of the call. The events of the subagent are in the journal of Session.
type SubagentStarted struct {
	Call     CallID    `json:"call"`
	Task     string    `json:"task"` // unique in the session
	Agent    string    `json:"agent"`
	Isolated bool      `json:"isolated,omitzero"` // in a copy of the folder
	Session  SessionID `json:"session,omitzero"`
}

// SubagentEnded closes the SubagentStarted of the same Task, after its verification.
type SubagentEnded struct {
	Call         CallID        `json:"call"`
	Task         string        `json:"task"`
	Agent        string        `json:"agent"`
	ExitCode     int           `json:"exit_code"`
	Usage        model.Usage   `json:"usage"`         // of all its model calls: part of the session's
	Cost         float64       `json:"cost,omitzero"` // US dollars
	Verification *Verification `json:"verification,omitzero"`
}

// VerificationStarted precedes the first command of an attempt; VerificationEnded follows.
type VerificationStarted struct {
	Call    CallID `json:"call"`
	Task    string `json:"task"`
	Attempt int    `json:"attempt"` // 1, 2 …
	Profile string `json:"profile,omitzero"`
}

// VerificationCommandStarted precedes a command; VerificationCommandEnded follows.
type VerificationCommandStarted struct {
	Call    CallID `json:"call"`
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	Name    string `json:"name"`
}

// VerificationCommandEnded closes the previous VerificationCommandStarted.
type VerificationCommandEnded struct {
	Call    CallID              `json:"call"`
	Task    string              `json:"task"`
	Attempt int                 `json:"attempt"`
	Result  VerificationCommand `json:"result"`
}

// VerificationEnded closes the VerificationStarted of the same Task and Attempt, exactly once.
type VerificationEnded struct {
	Call    CallID             `json:"call"`
	Task    string             `json:"task"`
	Attempt int                `json:"attempt"`
	Status  VerificationStatus `json:"status"`
}

// A Verification is the result of checking a task's work.
type Verification struct {
	Requested bool                  `json:"requested"`
	Profile   string                `json:"profile,omitzero"`
	Status    VerificationStatus    `json:"status"`
	Attempts  []VerificationAttempt `json:"attempts"`
	Retries   int                   `json:"retries"`             // repairs that were tried
	OnFailure string                `json:"on_failure,omitzero"` // return_failure, retry_once or discard_patch
}

// A VerificationStatus is how a verification, or an attempt, ended.
type VerificationStatus string

// The statuses.
const (
	VerificationPassed        VerificationStatus = "passed"
	VerificationFailed        VerificationStatus = "failed"
	VerificationSkipped       VerificationStatus = "skipped" // the subagent failed, or was interrupted
	VerificationRetriedPassed VerificationStatus = "retried_passed"
)

// A VerificationAttempt is one run of all commands.
type VerificationAttempt struct {
	Attempt  int                   `json:"attempt"`
	Status   VerificationStatus    `json:"status"`
	Started  int64                 `json:"started"` // Unix milliseconds
	Ended    int64                 `json:"ended"`
	Commands []VerificationCommand `json:"commands"`
	Error    string                `json:"error,omitzero"`
}

// A VerificationCommand is a command that was run.
type VerificationCommand struct {
	Name     string   `json:"name"`
	Command  string   `json:"command"`
	ExitCode int      `json:"exit_code"` // 128 + the number of the signal that ended it, if one did
	Ran      Duration `json:"ran"`
	Optional bool     `json:"optional,omitzero"` // its failure does not count
	TimedOut bool     `json:"timed_out,omitzero"`
	Artifact string   `json:"artifact,omitzero"` // file with all its output; "": there was none
	Preview  string   `json:"preview,omitzero"`  // the last lines of it
}

// Tasks is the result of a call that ran subagents.
type Tasks struct {
	ProjectAgents string       `json:"project_agents,omitzero"` // folder of the agents of the project; "": there is none
	Results       []TaskResult `json:"results"`
	Ran           Duration     `json:"ran"`
	Usage         model.Usage  `json:"usage"` // of all of them
	Cost          float64      `json:"cost,omitzero"`
}

// A Task is one piece of work for a subagent.
type Task struct {
	Index       int    `json:"index"` // in the call, from 0
	ID          string `json:"id"`    // unique in the session
	Agent       string `json:"agent"`
	Source      string `json:"source"` // of the agent: bundled, user or project
	Text        string `json:"text"`   // the complete prompt of the subagent
	Assignment  string `json:"assignment,omitzero"`
	Description string `json:"description,omitzero"`
	Model       string `json:"model,omitzero"` // "": the session's
}

// A TaskResult is the result of a Task.
type TaskResult struct {
	Task
	Session      SessionID     `json:"session,omitzero"` // its journal
	ExitCode     int           `json:"exit_code"`
	Output       string        `json:"output"`
	Truncated    bool          `json:"truncated,omitzero"`
	Error        string        `json:"error,omitzero"`
	Aborted      bool          `json:"aborted,omitzero"`
	Budget       bool          `json:"budget,omitzero"` // it was Aborted because a budget was used up
	Ran          Duration      `json:"ran"`
	Usage        model.Usage   `json:"usage"`
	Cost         float64       `json:"cost,omitzero"`
	OutputPath   string        `json:"output_path,omitzero"`
	OutputLines  int           `json:"output_lines,omitzero"` // of the whole output
	OutputChars  int           `json:"output_chars,omitzero"`
	PatchPath    string        `json:"patch_path,omitzero"`
	Branch       string        `json:"branch,omitzero"`
	Nested       []NestedPatch `json:"nested,omitzero"`
	Verification *Verification `json:"verification,omitzero"`
}

// A NestedPatch is what was changed in a repository within that of a task.
type NestedPatch struct {
	Repository string `json:"repository"` // relative, with "/"
	Path       string `json:"path"`       // of the patch
}

// TasksProgressed reports the progress of all subagents of a call, whenever one of them makes some.
type TasksProgressed struct {
	Call          CallID         `json:"call"`
	ProjectAgents string         `json:"project_agents,omitzero"`
	Ran           Duration       `json:"ran"`
	Tasks         []TaskProgress `json:"tasks"`
}

// A TaskProgress is the progress of a Task.
type TaskProgress struct {
	Task
	Status  TaskStatus `json:"status"`
	Current string     `json:"current,omitzero"` // the tool that runs now
	Input   string     `json:"input,omitzero"`   // of it, one line
	Since   int64      `json:"since,omitzero"`   // when it began, Unix milliseconds
	Recent  []TaskCall `json:"recent,omitzero"`  // the last calls, the latest first
	Output  []string   `json:"output,omitzero"`  // the last lines of its text
	Calls   int        `json:"calls"`
	Tokens  int        `json:"tokens"`
	Ran     Duration   `json:"ran"`
}

// A TaskCall is a tool call of a subagent that has ended.
type TaskCall struct {
	Tool  string `json:"tool"`
	Input string `json:"input"` // one line
	Ended int64  `json:"ended"` // Unix milliseconds
}

// A TaskStatus is the state of a subagent.
type TaskStatus string

// The statuses.
const (
	TaskPending   TaskStatus = "pending"
	TaskRunning   TaskStatus = "running"
	TaskCompleted TaskStatus = "completed"
	TaskFailed    TaskStatus = "failed"
	TaskAborted   TaskStatus = "aborted"
)
