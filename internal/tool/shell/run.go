package shell

import (
	"context"
	"io"
	"runtime"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/environ"
)

// A Text is shell text to run.
type Text struct {
	Text           string
	Dir            string // absolute
	Environ        []string
	Confine        sandbox.Policy
	Stdout, Stderr io.Writer            // the same one keeps the order
	Git            []environ.GitSetting // added for this text only
}

// Run runs t to its end, and keeps what it leaves in state, which may be nil; captured reports whether it did. Base
// is the environment that knows nothing of commands. An error means that t did not run.
func (t Text) Run(ctx context.Context, spawner *sandbox.Spawner, state *State, base []string) (exit sandbox.Exit, captured bool, err error) {
	command := sandbox.Command{
		Path:    Path(),
		Args:    Args(t.Text),
		Dir:     t.Dir,
		Env:     environ.WithGitSettings(t.Environ, t.Git...),
		Stdout:  t.Stdout,
		Stderr:  t.Stderr,
		Confine: t.Confine,
	}
	var left *leavings
	if state != nil && runtime.GOOS != "windows" { // a file cannot lose its name while it is open there
		if left, err = state.follow(&command, t.Text); err != nil {
			return sandbox.Exit{}, false, err
		}
		defer left.close()
		if len(t.Git) > 0 {
			left.git = &t.Environ
		}
	}
	process, err := spawner.Start(ctx, command)
	if err != nil {
		return sandbox.Exit{}, false, err
	}
	exit = process.Wait()
	if left != nil && !exit.Interrupted {
		captured = state.keep(base, left, t.Confine)
	}
	return exit, captured, nil
}
