package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/program"
)

// A runner runs the git program in one folder. It is confined, and can change only some folders.
type runner struct {
	manager  *Manager
	dir      string
	env      []string // added to the Manager's
	writable []string
}

// settings have git write whole indexes: parts of a split one would be in the git folder of the user.
var settings = []string{"core.splitIndex=false"}

// with returns g with other values of some variables.
func (g runner) with(env ...string) runner {
	others := slices.Clone(g.env)
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		others = slices.DeleteFunc(others, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	g.env = append(others, env...)
	return g
}

// writing returns g with further folders that it can change.
func (g runner) writing(folders ...string) runner {
	g.writable = slices.Concat(g.writable, folders)
	return g
}

// run runs git and returns its stdout. If git fails the error is a *git.Error.
func (g runner) run(ctx context.Context, args ...string) (string, error) {
	out, err := git.Runner{Spawner: g.manager.spawner, Environ: g.manager.environ}.Run(ctx, git.Command{
		Dir: g.dir, Args: args, Settings: settings, Env: g.env, Writable: g.writable,
	})
	if errors.Is(err, program.ErrNotFound) {
		return "", errors.New("isolation needs the git program, which is not installed")
	}
	return string(out), err
}

// line is run for a result of one line.
func (g runner) line(ctx context.Context, args ...string) (string, error) {
	text, err := g.run(ctx, args...)
	return strings.TrimRight(text, "\n"), err
}

// foldersIn returns folders in a git folder that git is to write. It makes those that are missing, since git cannot.
func foldersIn(common string, names ...string) (folders []string, err error) {
	for _, name := range names {
		folder := filepath.Join(common, name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
		folders = append(folders, folder)
	}
	return folders, nil
}
