package tool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

//go:embed shell.md
var shellDescription string

const shellSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1, "description": "Shell text to run"},
		"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "How long it may take, in milliseconds; default 120000"},
		"dir": {"type": "string", "description": "Folder to run in, relative to the workspace; default: the workspace"},
		"description": {"type": "string", "description": "What the command is for, in a few words for the user"},
		"separate": {"type": "boolean", "description": "Give all of stdout first and stderr behind it, instead of both as they came; default false"},
		"reset": {"type": "boolean", "description": "Where the folder and variables of earlier commands are kept: forget them first; default false"}
	},
	"required": ["command"],
	"additionalProperties": false
}`

// Shell is the tool that runs a shell command.
func Shell() Tool { return shellTool{} }

type shellTool struct{}

func (shellTool) Name() string           { return "shell" }
func (shellTool) Description() string    { return shellDescription }
func (shellTool) Schema() jsontext.Value { return jsontext.Value(shellSchema) }

type shellInput struct {
	Command     string `json:"command"`
	TimeoutMS   int64  `json:"timeout_ms"`
	Dir         string `json:"dir"`
	Description string `json:"description"`
	Separate    bool   `json:"separate"`
	Reset       bool   `json:"reset"`
}

func (shellTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := shellInput{TimeoutMS: 120_000}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if strings.ContainsRune(in.Command, 0) {
		return nil, errNUL
	}
	if in.Reset && in.Dir == "" {
		in.Dir = "."
	}
	dir, err := env.commandDir(in.Dir)
	if err != nil {
		return nil, err
	}
	return &shellCall{env: env, input: in, dir: dir}, nil
}

var errNUL = errors.New("the command holds a NUL character, which no shell can be given")

// commandDir is the folder to run in that a model wrote; "" is the one that the last
// command has left, or the workspace.
func (e *Env) commandDir(shown string) (approval.Path, error) {
	if shown == "" {
		shown = e.Shell.dir()
	}
	if shown == "" {
		return approval.Path{Path: e.Workspace.Dir()}, nil
	}
	dir, err := e.Workspace.Resolve(shown, false)
	if err != nil {
		return dir, err
	}
	if info, err := os.Stat(dir.Path); err != nil || !info.IsDir() {
		return dir, fmt.Errorf("the folder %s to run in does not exist", shown)
	}
	return dir, nil
}

type shellCall struct {
	env   *Env
	input shellInput
	dir   approval.Path
}

func (c *shellCall) Request() approval.Request {
	r := commandRequest(c.input.Command, c.dir)
	r.Summary = c.input.Description
	if r.Summary == "" {
		line, _, _ := strings.Cut(strings.TrimSpace(c.input.Command), "\n")
		r.Summary = "run " + line
	}
	return r
}

var errTimedOut = errors.New("the command took too long")

func (c *shellCall) Run(ctx context.Context, hooks Hooks) Result {
	timeout := time.Duration(c.input.TimeoutMS) * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimedOut)
	defer cancel()
	confine, err := c.env.policy(hooks.Sandbox)
	if err != nil {
		return Failed("the command could not be run: " + err.Error())
	}
	if c.input.Reset {
		c.env.Shell.forget()
	}
	output := newShellOutput(hooks.Output, c.input.Separate)
	exit, err := c.env.run(ctx, shellText{
		text: c.input.Command, dir: c.dir.Path, confine: confine, stdout: output.stdout, stderr: output.stderr,
	})
	if ctx.Err() != nil && err != nil {
		return Failed("[interrupted]")
	}
	if err != nil {
		return Failed("the command could not be run: " + err.Error())
	}
	output.end()
	run := event.ShellRun{Command: c.input.Command, Dir: c.dir.Path, ExitCode: exit.Code, Signal: exit.Signal}
	run.TimedOut = exit.Interrupted && context.Cause(ctx) == errTimedOut
	return shellResult(run, exit.Interrupted, timeout, output)
}

func shellResult(run event.ShellRun, interrupted bool, timeout time.Duration, output *shellOutput) Result {
	ending := shellEnding(run, interrupted, timeout)
	text, omitted := output.cut(MaxText - len(ending) - len("\n"))
	run.Omitted = omitted
	r := Result{IsError: ending != "", Shell: &run}
	if omitted > 0 {
		r.Full, _ = output.cut(MaxFull)
	}
	if ending != "" && len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		ending = "\n" + ending
	}
	run.Note = ending
	r.Text = string(append(text, ending...))
	return r
}

// shellEnding is the line that tells how a command failed; "" if it did not.
func shellEnding(run event.ShellRun, interrupted bool, timeout time.Duration) string {
	switch {
	case run.TimedOut:
		return fmt.Sprintf("[timed out after %g s]", timeout.Seconds())
	case interrupted:
		return "[interrupted]"
	case run.Signal != "":
		return "[killed by signal " + run.Signal + "]"
	case run.ExitCode != 0:
		return fmt.Sprintf("[exit code %d]", run.ExitCode)
	}
	return ""
}
