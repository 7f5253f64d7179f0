package tool

import (
	"bytes"
	"cmp"
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
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/output"
	"parley.dev/parley/internal/tool/patch"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed shell.md
var shellDescription string

const shellSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1},
		"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Default 120000"},
		"dir": {"type": "string", "description": "Folder to run in; default: the workspace"},
		"description": {"type": "string", "description": "What it is for, in a few words for the user"},
		"separate": {"type": "boolean", "description": "All of stdout, then stderr; default false"},
		"reset": {"type": "boolean", "description": "Forget the folder and variables of earlier commands first; default false"},
		"escalate": {"type": "boolean", "description": "Run outside of the sandbox, if the user allows it; only for what the sandbox does not allow"},
		"justification": {"type": "string", "maxLength": 1000, "description": "With escalate: why, in a sentence for the user"}
	},
	"required": ["command"],
	"additionalProperties": false
}`

// Shell returns the tool that runs a shell command.
func Shell() Tool { return shellTool{} }

type shellTool struct{}

func (shellTool) Name() string           { return "shell" }
func (shellTool) Schema() jsontext.Value { return jsontext.Value(shellSchema) }

// Description names the shell.
func (shellTool) Description() string {
	if shell.IsPowerShell() {
		return strings.Replace(shellDescription, "`bash -c` (`sh -c` if there is no bash)", "PowerShell", 1)
	}
	return shellDescription
}

// OfferedSchema leaves out what the tools of protocols need, and what is not allowed in env.
func (shellTool) OfferedSchema(env *Env) jsontext.Value {
	if env.Escalation {
		return escalatingShell.Get()
	}
	return offeredShell.Get()
}

var (
	offeredShell = lazy.Value[jsontext.Value]{New: func() jsontext.Value {
		return schemaWithout(shellSchema, "separate", "reset", "escalate", "justification")
	}}
	escalatingShell = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(shellSchema, "separate", "reset") }}
)

type shellInput struct {
	Command     string `json:"command"`
	TimeoutMS   int64  `json:"timeout_ms"`
	Dir         string `json:"dir"`
	Description string `json:"description"`
	Separate    bool   `json:"separate"`
	Reset       bool   `json:"reset"`

	Escalate      bool   `json:"escalate"`
	Justification string `json:"justification"`
}

func (shellTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := shellInput{TimeoutMS: 120_000}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if strings.ContainsRune(in.Command, 0) {
		return nil, errNUL
	}
	if in.Escalate && !env.Escalation {
		return nil, errEscalate
	}
	if err := shell.Check(); err != nil {
		return nil, err
	}
	if in.Reset && in.Dir == "" {
		in.Dir = "."
	}
	dir, err := env.commandDir(in.Dir)
	if err != nil {
		return nil, err
	}
	if patch, folder, ok := patch.FromCommand(in.Command); ok {
		return newShellPatch(env, in.Command, dir.Path, patch, folder)
	}
	return &shellCall{env: env, input: in, dir: dir}, nil
}

var errNUL = errors.New("the command holds a NUL character, which no shell can be given")

var errEscalate = errors.New("commands cannot leave the sandbox here: run it without escalate")

// commandDir returns the folder to run in that a model wrote; "" is the one that the last
// command has left, or the workspace.
func (e *Env) commandDir(shown string) (approval.Path, error) {
	if shown == "" {
		shown = e.Shell.Dir()
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
	if c.input.Escalate {
		r.Escalate, r.Justification = true, c.input.Justification
	}
	return r
}

var errTimedOut = errors.New("the command took too long")

func (c *shellCall) Run(ctx context.Context, hooks Hooks) Result {
	if c.input.Reset {
		c.env.Shell.Forget()
	}
	show := hooks.Output
	if c.inTerminal(hooks) {
		show = func(string) {} // the client shows its terminal
	}
	out := output.New(show, c.input.Separate, MaxFull)
	files := c.env.watchFiles(ctx, hooks.Sandbox)
	run, err := c.firstRun(ctx, hooks, out)
	note := run.lost
	if err == nil && run.refusal != "" && ctx.Err() == nil {
		run, note, err = c.runUnconfined(ctx, hooks, out, run)
	}
	if ctx.Err() != nil && err != nil {
		return Failed("[interrupted]")
	}
	if err != nil {
		return Failed("the command could not be run: " + err.Error())
	}
	out.End()
	result := c.result(run, note, out)
	result.Shell.Changes, result.Shell.Tracked = files.end(ctx, hooks.Keep)
	return result
}

// A shellRun is one run of the command of a call.
type shellRun struct {
	exit     sandbox.Exit
	timedOut bool
	captured bool   // what it left is what the next command begins with
	refusal  string // what the sandbox refused; "": nothing

	terminal string // the id of the client's terminal it ran in; "": in none
	cut      bool   // the terminal has lost the beginning of the output
	lost     string // a note for the model: what is not known of the command in the terminal; "": nothing
}

// inTerminal reports whether the command runs in a terminal of the client, which cannot confine it.
func (c *shellCall) inTerminal(hooks Hooks) bool {
	return hooks.Terminals != nil && !hooks.Sandbox.Confining()
}

// firstRun runs the command, in a terminal of the client if there is one for it.
func (c *shellCall) firstRun(ctx context.Context, hooks Hooks, out *output.Output) (shellRun, error) {
	if c.inTerminal(hooks) {
		return c.runInTerminal(ctx, hooks, out)
	}
	return c.run(ctx, hooks.Sandbox, hooks.Granted, out)
}

// run runs the command once, in a process of ours.
func (c *shellCall) run(ctx context.Context, s approval.Sandbox, granted bool, out *output.Output) (shellRun, error) {
	confine, err := c.env.policy(s)
	if err != nil {
		return shellRun{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout(), errTimedOut)
	defer cancel()
	exit, captured, err := c.env.run(ctx, shell.Text{
		Text: c.input.Command, Dir: c.dir.Path, Confine: confine, Stdout: out.Stdout, Stderr: out.Stderr, Git: gitSettings(granted),
	})
	if err != nil {
		return shellRun{}, err
	}
	run := shellRun{exit: exit, captured: captured, timedOut: exit.Interrupted && context.Cause(ctx) == errTimedOut}
	out.Settle()
	text, _, _ := out.Cut(MaxText)
	run.refusal = sandbox.Refusal(confine, exit, string(text))
	return run, nil
}

func (c *shellCall) timeout() time.Duration {
	return time.Duration(c.input.TimeoutMS) * time.Millisecond
}

// unconfinedNote stands between the output of a refused command and that of its second run.
const unconfinedNote = "[refused by the sandbox; approved, and run again outside of it]\n"

// runUnconfined asks for the command, which the sandbox refused, to run outside of it, and
// runs it again if that is approved; else it returns the refused run and a note why.
func (c *shellCall) runUnconfined(ctx context.Context, hooks Hooks, out *output.Output, refused shellRun) (shellRun, string, error) {
	if hooks.Unconfine == nil {
		return refused, "", nil
	}
	out.Flush()
	s, err := hooks.Unconfine(ctx, fmt.Sprintf("the sandbox refused it: %q; once approved, it runs again without the sandbox", refused.refusal))
	switch {
	case ctx.Err() != nil:
		refused.exit.Interrupted = true
		return refused, "", nil
	case errors.Is(err, ErrUnasked):
		return refused, "", nil
	case err != nil:
		return refused, "[refused by the sandbox; not run outside of it: " + err.Error() + "]", nil
	}
	out.AddNote(unconfinedNote)
	run, err := c.run(ctx, s, false, out)
	return run, "", err
}

// result returns the result of a call from its last run; note is for the model.
func (c *shellCall) result(last shellRun, note string, out *output.Output) Result {
	run := event.ShellRun{
		Command: c.input.Command, Dir: c.dir.Path, ExitCode: last.exit.Code, Signal: last.exit.Signal, TimedOut: last.timedOut,
		Shell: shell.Path(), NextDir: cmp.Or(c.env.Shell.Dir(), c.env.Workspace.Dir()), Captured: last.captured,
		Terminal: last.terminal, Truncated: last.cut,
	}
	ending := shellEnding(run, last.exit, c.timeout())
	failed := ending != "" || note != ""
	if left := last.exit.Left; left != "" && !failed {
		note = "[these programs still ran at the end of the command, and were ended: " + workspace.DisplayName(left) + "]"
	}
	if note != "" {
		ending = strings.TrimPrefix(ending+"\n"+note, "\n")
	}
	text, omitted, streams := out.Cut(c.env.Limits.output() - noteRoom - len(ending) - len("\n"))
	run.Omitted, run.Streams = omitted, streams
	r := Result{IsError: failed, Shell: &run}
	if omitted > 0 {
		r.Full, _, _ = out.Cut(MaxFull)
	}
	if ending != "" && len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		ending = "\n" + ending
	}
	run.Note = ending
	r.Text = string(append(text, ending...))
	return r
}

// shellEnding returns the line that says how a command failed; "" if it did not.
func shellEnding(run event.ShellRun, exit sandbox.Exit, timeout time.Duration) string {
	switch {
	case exit.Killed != nil:
		return "[killed: " + exit.Killed.Error() + "]"
	case run.TimedOut:
		return fmt.Sprintf("[timed out after %g s]", timeout.Seconds())
	case exit.Interrupted:
		return "[interrupted]"
	case run.Signal != "":
		return "[killed by signal " + run.Signal + "]"
	case run.ExitCode < 0 && run.Terminal != "":
		return "[the exit code is not known]"
	case run.ExitCode != 0:
		return fmt.Sprintf("[exit code %d]", run.ExitCode)
	}
	return ""
}
