package loaf

import (
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
)

// shellResult is the result of a shell command.
type shellResult struct {
	Status          string   `json:"status"`        // ok or error
	Mode            string   `json:"mode"`          // bash
	Shell           string   `json:"shell"`         // name of the program, such as bash
	ShellCommand    string   `json:"shell_command"` // path of the program
	ShellArgs       []string `json:"shell_args"`    // what runs Command in it
	Command         string   `json:"command"`
	ExitCode        *int     `json:"exit_code"` // null: a signal ended it
	Signal          *string  `json:"signal"`    // null: none
	TimedOut        bool     `json:"timed_out"`
	Aborted         bool     `json:"aborted"`
	DurationMS      int64    `json:"duration_ms"`
	Stdout          string   `json:"stdout"`
	Stderr          string   `json:"stderr"`
	TruncatedStdout bool     `json:"truncated_stdout"` // its middle is missing
	TruncatedStderr bool     `json:"truncated_stderr"`
	CwdBefore       string   `json:"cwd_before"`
	CwdAfter        string   `json:"cwd_after"`       // of the session: where the next command runs
	StateCaptured   bool     `json:"state_captured"`  // the folder and variables at its end are those of the next command
	SessionUpdated  bool     `json:"session_updated"` // StateCaptured, or reset_session has changed them
}

// bashResult returns the result of a shell command that ran.
func bashResult(call event.ToolIntended, e event.ToolEnded) shellResult {
	run := e.Shell
	var in struct {
		Reset bool `json:"reset_session"`
	}
	_ = json.Unmarshal(call.Input, &in) // it fits the schema
	r := shellResult{
		Status: "ok", Mode: "bash", Shell: filepath.Base(run.Shell), ShellCommand: run.Shell, ShellArgs: []string{"-c", run.Command},
		Command: run.Command, TimedOut: run.TimedOut, Aborted: e.Outcome == event.Interrupted, DurationMS: time.Duration(e.Ran).Milliseconds(),
		TruncatedStdout: run.Omitted > 0, CwdBefore: run.Dir, CwdAfter: run.NextDir,
		StateCaptured: run.Captured, SessionUpdated: run.Captured || in.Reset,
	}
	r.Stdout, r.Stderr = run.Split(e.Output)
	if run.Streams != nil {
		r.TruncatedStdout, r.TruncatedStderr = run.Streams.OmittedStdout > 0, run.Streams.OmittedStderr > 0
	}
	if e.Outcome != event.Succeeded {
		r.Status = "error"
	}
	if run.Signal != "" {
		r.Signal = &run.Signal
	} else {
		r.ExitCode = &run.ExitCode
	}
	return r
}
