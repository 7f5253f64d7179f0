package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/subagent/worktree"
)

// lockPoll is how often a worker tries to lock a clone.
const lockPoll = 50 * time.Millisecond

// A mirror is a bare clone of a URL, which several workers use. One at a time updates it.
type mirror struct {
	url, dir string
	spawner  *sandbox.Spawner
	environ  []string
}

// update clones the URL, or fetches it again if the clone lacks the pinned commit, or is older than the batch. It returns the folder
// of the clone.
func (m *mirror) update(ctx context.Context, trees *worktree.Manager, a *batch.Attempt) (string, error) {
	l := flock.New(m.dir + ".lock")
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		return "", fmt.Errorf("lock the clone of %s: %w", m.url, err)
	}
	defer func() { _ = l.Close() }() // it only releases the lock
	fetched := m.dir + ".fetched"
	info, err := os.Stat(fetched)
	if err != nil {
		if err := m.clone(ctx); err != nil {
			return "", err
		}
		return m.dir, os.WriteFile(fetched, nil, 0o600)
	}
	if a.Commit != "" {
		if _, err := trees.Resolve(ctx, m.dir, a.Commit); err == nil {
			return m.dir, nil
		}
	} else if info.ModTime().After(a.Since) {
		return m.dir, nil
	}
	if err := m.git(ctx, m.dir, "fetch", "--quiet", "--prune", "--force", "origin", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"); err != nil {
		return "", fmt.Errorf("fetch %s: %w", m.url, err)
	}
	return m.dir, os.WriteFile(fetched, nil, 0o600)
}

// clone clones the URL in place of what an interrupted clone has left.
func (m *mirror) clone(ctx context.Context) error {
	if err := os.RemoveAll(m.dir); err != nil {
		return err
	}
	if err := m.git(ctx, "", "clone", "--quiet", "--bare", "--", m.url, m.dir); err != nil {
		return fmt.Errorf("clone %s: %w", m.url, err)
	}
	return nil
}

// git runs git, which has the network and does not ask the user anything.
func (m *mirror) git(ctx context.Context, dir string, args ...string) error {
	if dir == "" {
		dir = filepath.Dir(m.dir)
	}
	_, err := git.Runner{Spawner: m.spawner, Environ: m.environ}.Run(ctx, git.Command{Dir: dir, Args: args, Remote: true})
	if errors.Is(err, program.ErrNotFound) {
		return errors.New("the git program is not installed")
	}
	return err
}
