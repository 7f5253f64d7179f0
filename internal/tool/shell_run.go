package tool

import (
	"context"
	"io"
	"os/exec"
	"sync"

	"parley.dev/parley/internal/sandbox"
)

// A shellText is shell text to run.
type shellText struct {
	text           string
	dir            string // absolute
	confine        sandbox.Policy
	stdout, stderr io.Writer // the same one keeps the order
}

// run runs t to its end, and keeps what it leaves in e.Shell; captured reports whether it did. An
// error means that t did not run.
func (e *Env) run(ctx context.Context, t shellText) (exit sandbox.Exit, captured bool, err error) {
	command := sandbox.Command{
		Path:    ownShell(),
		Args:    []string{"-c", t.text},
		Dir:     t.dir,
		Env:     e.environ(t.confine),
		Stdout:  t.stdout,
		Stderr:  t.stderr,
		Confine: t.confine,
	}
	var left *leavings
	if e.Shell != nil {
		if left, err = e.Shell.follow(&command, t.text); err != nil {
			return sandbox.Exit{}, false, err
		}
		defer left.close()
	}
	process, err := e.Spawner.Start(ctx, command)
	if err != nil {
		return sandbox.Exit{}, false, err
	}
	exit = process.Wait()
	if left != nil && !exit.Interrupted {
		captured = e.Shell.keep(e.Environ, left, t.confine)
	}
	return exit, captured, nil
}

// ShellPath returns the path of the shell that runs commands.
func ShellPath() string { return ownShell() }

// ownShell is the shell of this machine. Our own PATH does not change.
var ownShell = sync.OnceValue(func() string { return shellProgram(exec.LookPath) })

// shellProgram returns the shell to use: bash if there is one.
func shellProgram(look func(string) (string, error)) string {
	if path, err := look("bash"); err == nil {
		return path
	}
	return "/bin/sh"
}
