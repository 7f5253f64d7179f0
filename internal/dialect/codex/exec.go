package codex

import (
	"cmp"
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the programs that the client runs: no turns, and nothing of them is recorded. They end with the connection.

func execMethods() []handler {
	return []handler{
		on("command/exec", (*conn).commandExec, checkCommandExec),
		on("command/exec/write", (*conn).commandExecWrite),
		on("command/exec/terminate", (*conn).commandExecTerminate),
		on("command/exec/resize", func(c *conn, _ context.Context, id jsonrpc.ID, _ *CommandExecResizeParams) {
			c.fail(id, "", errNoTerminal)
		}),
	}
}

// errNoTerminal reports that programs have pipes.
var errNoTerminal = refused("a terminal is not offered by parley: programs have pipes")

// What holds for a program that says nothing.
const (
	execLimit = 60 * time.Second
	execMost  = 1 << 20 // bytes of each stream
)

// timedOut is the exit code of a program that its limit has ended.
const timedOut = 124

func checkCommandExec(p *CommandExecParams) error {
	streams := p.StreamStdin || p.StreamStdoutStderr
	switch {
	case len(p.Command) == 0 || p.Command[0] == "":
		return problem("command", "must not be empty")
	case p.Tty || p.Size != nil:
		return errNoTerminal
	case streams && p.ProcessID == "":
		return problem("processId", "must be given where something is streamed")
	case p.DisableTimeout && p.TimeoutMS != nil:
		return problem("timeoutMs", "cannot be combined with disableTimeout")
	case p.DisableOutputCap && p.OutputBytesCap != nil:
		return problem("outputBytesCap", "cannot be combined with disableOutputCap")
	case p.TimeoutMS != nil && *p.TimeoutMS < 1:
		return problem("timeoutMs", "must be at least 1")
	case p.OutputBytesCap != nil && *p.OutputBytesCap < 1:
		return problem("outputBytesCap", "must be at least 1")
	case p.SandboxPolicy != nil && p.PermissionProfile != "":
		return refused("`permissionProfile` cannot be combined with `sandboxPolicy`")
	case p.Cwd != "" && !filepath.IsAbs(p.Cwd):
		return problem("cwd", "must be an absolute path")
	}
	return nil
}

// commandExec runs a program, and answers at its end (command/exec). Other requests are handled meanwhile.
func (c *conn) commandExec(_ context.Context, id jsonrpc.ID, p *CommandExecParams) {
	program, err := c.program(p)
	if err != nil {
		c.fail(id, "", err)
		return
	}
	start := func() (*engine.RunningProgram, error) {
		return c.cfg.Host.StartProgram(c.life, cmp.Or(p.Cwd, c.cfg.Flags.Cwd), program)
	}
	var running *engine.RunningProgram
	if p.ProcessID != "" {
		running, err = c.programs.Start(p.ProcessID, start)
	} else {
		running, err = start()
	}
	if err != nil {
		c.fail(id, "", refused(err.Error()))
		return
	}
	c.pumping.Go(func() {
		r := running.Wait()
		answer := CommandExecResponse{
			ExitCode: int64(r.Exit.Code), Stdout: strings.ToValidUTF8(string(r.Stdout), "\uFFFD"), Stderr: strings.ToValidUTF8(string(r.Stderr), "\uFFFD"),
		}
		if r.TimedOut {
			answer.ExitCode = timedOut
		}
		c.output.put(resultLine(id, answer)) // after what the program has written
	})
}

// program returns what a request runs.
func (c *conn) program(p *CommandExecParams) (engine.Program, error) {
	settings := event.Settings{}
	c.defaults(&settings)
	sandbox, err := sandboxOf(overrides{sandbox: p.SandboxPolicy, permissions: p.PermissionProfile})
	if err != nil {
		return engine.Program{}, err
	}
	if sandbox != nil {
		settings.Sandbox = *sandbox
	}
	program := engine.Program{Args: p.Command, Set: p.Env, Sandbox: settings.Sandbox, Limit: execLimit, Most: execMost, Stdin: p.StreamStdin}
	if p.TimeoutMS != nil {
		program.Limit = time.Duration(*p.TimeoutMS) * time.Millisecond
	}
	if p.DisableTimeout {
		program.Limit = 0
	}
	if p.OutputBytesCap != nil {
		program.Most = *p.OutputBytesCap
	}
	if p.DisableOutputCap {
		program.Most = 0
	}
	if p.StreamStdoutStderr {
		program.Output = func(stream engine.Stream, data []byte, capped bool) {
			for _, line := range c.announce("command/exec/outputDelta", CommandExecOutputDeltaNotification{
				ProcessID: p.ProcessID, Stream: CommandExecOutputStream(stream), DeltaBase64: base64.StdEncoding.EncodeToString(data), CapReached: capped,
			}) {
				c.output.put(line)
			}
		}
	}
	return program, nil
}

// execWait is how long a write waits for a program to read.
const execWait = 5 * time.Second

// commandExecWrite writes to the input of a program (command/exec/write).
func (c *conn) commandExecWrite(_ context.Context, id jsonrpc.ID, p *CommandExecWriteParams) {
	data, err := base64.StdEncoding.DecodeString(p.DeltaBase64)
	if err != nil {
		c.fail(id, "", invalid("deltaBase64 must be base64"))
		return
	}
	running, err := c.programs.Find(p.ProcessID)
	if err != nil {
		c.fail(id, "", refused(err.Error()))
		return
	}
	answered := c.output.begin()
	defer answered()
	ctx, cancel := context.WithTimeout(c.life, execWait)
	defer cancel()
	if err := running.Write(ctx, data, p.CloseStdin); err != nil {
		c.fail(id, "", refused(err.Error()))
		return
	}
	c.reply(id, CommandExecWriteResponse{})
}

// commandExecTerminate ends a program (command/exec/terminate).
func (c *conn) commandExecTerminate(_ context.Context, id jsonrpc.ID, p *CommandExecTerminateParams) {
	running, err := c.programs.Find(p.ProcessID)
	if err != nil {
		c.fail(id, "", refused(err.Error()))
		return
	}
	c.reply(id, CommandExecTerminateResponse{})
	running.Stop()
}
