package tool

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/shell"
)

// A shellPatch is a call of the shell that does nothing but apply a patch: it is approved and
// run as that patch, and ends like a command.
type shellPatch struct {
	*patchCall
	env     *Env
	command string
	dir     string // that the command runs in
	folder  string // that the paths of the patch begin at, and the next command
}

// newShellPatch prepares a command that runs in dir and applies a patch in folder, if that is not "".
func newShellPatch(env *Env, command, dir, patch, folder string) (Call, error) {
	switch {
	case folder == "":
		folder = dir
	case !filepath.IsAbs(folder) && !strings.HasPrefix(folder, "~"):
		folder = dir + "/" + folder
	}
	in, err := env.commandDir(folder)
	if err != nil {
		return nil, err
	}
	call, err := preparePatch(env, patch, in.Path)
	if err != nil {
		return nil, err
	}
	return &shellPatch{call, env, command, dir, in.Path}, nil
}

func (c *shellPatch) Run(ctx context.Context, hooks Hooks) Result {
	r := c.patchCall.Run(ctx, hooks)
	c.env.Shell.Enter(c.folder)
	r.Shell = &event.ShellRun{
		Command: c.command, Dir: c.dir, Shell: shell.Path(), NextDir: cmp.Or(c.env.Shell.Dir(), c.env.Workspace.Dir()),
	}
	if r.IsError {
		r.Shell.ExitCode = 1
	}
	return r
}
