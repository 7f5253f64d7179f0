//go:build unix

package tool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspacetest"
)

// A fakeTerminal is a client with one terminal. What an error or hangs names, such as "create", fails, or does not return
// before its context ends.
type fakeTerminal struct {
	errors, hangs string
	exit          TerminalExit
	output        TerminalOutput
	command       TerminalCommand
	requests      []string
}

func (f *fakeTerminal) request(ctx context.Context, name string) error {
	f.requests = append(f.requests, name)
	if strings.Contains(f.hangs, name) {
		<-ctx.Done()
		return ctx.Err()
	}
	if strings.Contains(f.errors, name) {
		return errors.New("no\nluck")
	}
	return nil
}

func (f *fakeTerminal) Create(ctx context.Context, c TerminalCommand) (ClientTerminal, error) {
	f.command = c
	if err := f.request(ctx, "create"); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *fakeTerminal) ID() string { return "t-1" }

func (f *fakeTerminal) Wait(ctx context.Context) (TerminalExit, error) {
	return f.exit, f.request(ctx, "wait")
}

func (f *fakeTerminal) Output(ctx context.Context) (TerminalOutput, error) {
	if err := f.request(ctx, "output"); err != nil {
		return TerminalOutput{}, err
	}
	return f.output, nil
}

func (f *fakeTerminal) Kill(ctx context.Context) error { return f.request(ctx, "kill") }

func (f *fakeTerminal) Release(ctx context.Context) error { return f.request(ctx, "release") }

// TestClientTerminal: what the client's terminal reports is the result as of a command in a shell of ours. The terminal is
// released in every case.
func TestClientTerminal(t *testing.T) {
	killed := &TerminalExit{Code: -1, Signal: "SIGKILL"}
	w := workspacetest.New(t, map[string]string{"sub/": ""})
	env := &Env{Workspace: w, Shell: shell.NewState()}
	all := []string{"create", "wait", "output", "release"}
	stopped := []string{"create", "wait", "kill", "output", "release"}
	for _, test := range []struct {
		name     string
		terminal fakeTerminal
		want     string
		run      event.ShellRun
		requests []string
		after    time.Duration // the command may take 10 s
	}{
		{"success", fakeTerminal{output: TerminalOutput{Text: "ok\n"}}, "ok\n", event.ShellRun{}, all, 0},
		{"colours", fakeTerminal{output: TerminalOutput{Text: "\x1b[31mred\x1b[0m\r\n"}}, "red\n", event.ShellRun{}, all, 0},
		{"exit code", fakeTerminal{exit: TerminalExit{Code: 3}, output: TerminalOutput{Text: "no"}}, "no\n[exit code 3]", event.ShellRun{ExitCode: 3}, all, 0},
		{"signal", fakeTerminal{exit: *killed}, "[killed by signal SIGKILL]", event.ShellRun{ExitCode: -1, Signal: "SIGKILL"}, all, 0},
		{"unknown exit", fakeTerminal{exit: TerminalExit{Code: -1}}, "[the exit code is not known]", event.ShellRun{ExitCode: -1}, all, 0},
		{
			"truncated",
			fakeTerminal{output: TerminalOutput{Text: "the end\n", Truncated: true}},
			"[earlier output is not known: the terminal has kept the last 8 bytes]\nthe end\n",
			event.ShellRun{Truncated: true},
			all, 0,
		},
		{"no terminal", fakeTerminal{errors: "create"}, "the command could not be run: the client did not create a terminal: no luck", event.ShellRun{}, all[:1], 0},
		{
			"no end",
			fakeTerminal{errors: "wait kill", output: TerminalOutput{Text: "so far\n"}},
			"so far\n[the exit code is not known]\n[the client did not report the end of the command: no luck]",
			event.ShellRun{ExitCode: -1},
			stopped, 0,
		},
		{"no output", fakeTerminal{errors: "output release"}, "[the client did not return the output: no luck]", event.ShellRun{}, all, 0},
		{
			"timeout",
			fakeTerminal{hangs: "wait", output: TerminalOutput{Text: "so far\n", Exit: killed}},
			"so far\n[timed out after 10 s]",
			event.ShellRun{ExitCode: -1, Signal: "SIGKILL", TimedOut: true},
			stopped, 10 * time.Second,
		},
		{
			"silent client",
			fakeTerminal{hangs: "wait kill output release"},
			"[timed out after 10 s]\n[the client did not return the output: context canceled]",
			event.ShellRun{ExitCode: -1, TimedOut: true},
			stopped, 10*time.Second + clientGrace,
		},
		{
			"silence after the end",
			fakeTerminal{hangs: "release", output: TerminalOutput{Text: "ok\n"}},
			"ok\n",
			event.ShellRun{},
			all, clientGrace,
		},
		{"silence before the terminal", fakeTerminal{hangs: "create"}, "the command could not be run: the client did not create a terminal: context canceled", event.ShellRun{}, all[:1], 10*time.Second + terminalStop},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				terminal := &test.terminal
				call := prepareShell(t, env, in{"command": "./try.sh", "dir": "sub", "timeout_ms": 10_000})
				var created []string
				begun := time.Now()
				got := call.Run(t.Context(), Hooks{
					Sandbox: approval.Sandbox{Kind: approval.SandboxNone}, Terminals: terminal, TerminalCreated: func(id string) { created = append(created, id) },
					Output: func(text string) { t.Errorf("shows %q", text) },
				})
				if got.Text != test.want || got.IsError != (strings.HasSuffix(test.want, "]") || got.Shell == nil) {
					t.Errorf("%q, error %t", got.Text, got.IsError)
				}
				if took := time.Since(begun); took != test.after {
					t.Errorf("took %s", took)
				}
				if diff := cmp.Diff(test.requests, terminal.requests); diff != "" {
					t.Errorf("requests: %s", diff)
				}
				dir := w.Dir() + "/sub"
				if diff := cmp.Diff(TerminalCommand{Program: shell.Path(), Args: []string{"-c", "./try.sh"}, Dir: dir, OutputLimit: 1 << 20}, terminal.command); diff != "" {
					t.Errorf("command: %s", diff)
				}
				if len(test.requests) == 1 {
					if got.Shell != nil || created != nil {
						t.Errorf("%+v, created %v", got.Shell, created)
					}
					return
				}
				test.run.Command, test.run.Dir, test.run.Shell, test.run.NextDir, test.run.Terminal = "./try.sh", dir, shell.Path(), w.Dir(), "t-1"
				if diff := cmp.Diff(&test.run, got.Shell, cmpopts.IgnoreFields(event.ShellRun{}, "Note")); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff([]string{"t-1"}, created); diff != "" {
					t.Errorf("created: %s", diff)
				}
			})
		})
	}
}

// TestClientTerminalInterrupted: an interrupt kills the command, and releases the terminal; one that the client makes in that
// moment as well.
func TestClientTerminalInterrupted(t *testing.T) {
	env := &Env{Workspace: workspacetest.New(t, nil)}
	hooks := Hooks{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}, TerminalCreated: func(string) {}}
	for _, during := range []string{"create", "wait"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			terminal := &fakeTerminal{output: TerminalOutput{Text: "so far\n"}}
			hooks := hooks
			hooks.Terminals = interruptedTerminal{terminal, during, interrupt}
			got := prepareShell(t, env, in{"command": "sleep 1000"}).Run(ctx, hooks)
			if got.Text != "so far\n[interrupted]" || got.Shell == nil || got.Shell.Terminal != "t-1" || got.Shell.TimedOut {
				t.Errorf("%s: %q, %+v", during, got.Text, got.Shell)
			}
			if diff := cmp.Diff([]string{"create", "wait", "kill", "output", "release"}, terminal.requests); diff != "" {
				t.Errorf("%s: %s", during, diff)
			}
		})
	}
}

// An interruptedTerminal interrupts the call during a request, and answers a second after it.
type interruptedTerminal struct {
	*fakeTerminal
	during    string
	interrupt func()
}

func (i interruptedTerminal) Create(ctx context.Context, c TerminalCommand) (ClientTerminal, error) {
	if i.during == "create" {
		i.interrupt()
		timer := time.NewTimer(time.Second)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	_, err := i.fakeTerminal.Create(ctx, c)
	return i, err
}

func (i interruptedTerminal) Wait(ctx context.Context) (TerminalExit, error) {
	i.requests = append(i.requests, "wait")
	if i.during == "wait" {
		i.interrupt()
	}
	<-ctx.Done()
	return TerminalExit{}, ctx.Err()
}

// TestClientTerminalUnused: a command that must be confined runs in a process of ours.
func TestClientTerminalUnused(t *testing.T) {
	env := shellEnv(t, nil)
	if !env.Confines() {
		t.Skip("nothing confines commands here")
	}
	for _, kind := range []approval.SandboxKind{approval.SandboxReadOnly, approval.SandboxWorkspace, ""} {
		terminal := &fakeTerminal{}
		var live liveText
		hooks := live.hooks()
		hooks.Sandbox, hooks.Terminals = approval.Sandbox{Kind: kind}, terminal
		got := prepareShell(t, env, in{"command": "echo ours"}).Run(t.Context(), hooks)
		if len(terminal.requests) > 0 || kind != "" && got.Text != "ours\n" || kind == "" && !got.IsError {
			t.Errorf("%q: %q, requested %v", kind, got.Text, terminal.requests)
		}
	}
}

// TestClientTerminalState: the next command begins with the folder that was known before the one in the terminal.
func TestClientTerminalState(t *testing.T) {
	env := shellEnv(t, map[string]string{"sub/": ""})
	env.Shell = shell.NewState()
	var live liveText
	hooks := live.hooks()
	if got := prepareShell(t, env, in{"command": "cd sub"}).Run(t.Context(), hooks); got.IsError || !got.Shell.Captured {
		t.Fatalf("%+v", got)
	}
	terminal := &fakeTerminal{}
	hooks.Terminals, hooks.TerminalCreated = terminal, func(string) {}
	got := prepareShell(t, env, in{"command": "cd .."}).Run(t.Context(), hooks)
	sub := env.Workspace.Dir() + "/sub"
	if terminal.command.Dir != sub || got.Shell.Captured || got.Shell.NextDir != sub {
		t.Errorf("ran in %s, %+v", terminal.command.Dir, got.Shell)
	}
}
