package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bmatcuk/doublestar/v4"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/subagent/worktree"
)

// Names of folders below the root of a worker.
const (
	tasksName = "tasks" // tasks/BATCH/TASK.N
	reposName = "repos" // repos/HASH.git
	lockName  = ".lock"
)

// sites are the folders that tasks work in.
type sites struct {
	root    string
	spawner *sandbox.Spawner
	environ []string
	trusts  func(string) bool
}

func (s *sites) prepare() error {
	for _, name := range []string{tasksName, reposName} {
		if err := os.MkdirAll(filepath.Join(s.root, name), 0o700); err != nil {
			return fmt.Errorf("make the folder of the worker: %w", err)
		}
	}
	real, err := filepath.EvalSymlinks(s.root)
	s.root = real
	return err
}

// trees returns the copies of a batch.
func (s *sites) trees(id string) *worktree.Manager {
	return worktree.New(worktree.Options{
		Root: filepath.Join(s.root, tasksName, id), Lock: filepath.Join(s.root, tasksName, lockName),
		Spawner: s.spawner, Environ: s.environ, Trusts: s.trusts,
	})
}

// sweep removes the copies of processes that have ended.
func (s *sites) sweep(ctx context.Context) (removed int, err error) {
	entries, err := os.ReadDir(filepath.Join(s.root, tasksName))
	errs := []error{err}
	for _, e := range entries {
		if e.IsDir() {
			n, err := s.trees(e.Name()).Sweep(ctx)
			removed, errs = removed+n, append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}

// A site is the folder of an attempt.
type site struct {
	tree   *worktree.Tree
	dir    string // that the session works in
	commit string // "": there is no repository
}

// open prepares the folder of an attempt. The caller must close it.
func (s *sites) open(ctx context.Context, a *batch.Attempt) (*site, error) {
	place, err := s.copy(ctx, a)
	if err != nil {
		return nil, err
	}
	if place.dir, err = place.tree.Below(a.Task.Dir); err != nil {
		return nil, errors.Join(err, place.tree.Close())
	}
	return place, nil
}

func (s *sites) copy(ctx context.Context, a *batch.Attempt) (*site, error) {
	trees, name := s.trees(a.Batch), a.Task.ID+"."+strconv.Itoa(a.Number)
	repo := a.Task.Repo
	switch {
	case repo == "":
		tree, err := trees.Empty(name)
		return &site{tree: tree}, err
	case batch.IsURL(repo):
		at, err := s.mirror(repo).update(ctx, trees, a)
		if err != nil {
			return nil, err
		}
		return s.checkOut(ctx, trees, at, name, a)
	}
	real, err := filepath.EvalSymlinks(repo)
	if err != nil {
		return nil, err
	}
	if err := batch.CheckFolder(filepath.ToSlash(real)); err != nil {
		return nil, err
	}
	place, err := s.checkOut(ctx, trees, real, name, a)
	if errors.Is(err, worktree.ErrNoRepository) {
		if a.Task.Ref != "" {
			return nil, fmt.Errorf("%w, so there is no ref %s", err, a.Task.Ref)
		}
		tree, err := trees.Isolate(ctx, real, name)
		return &site{tree: tree}, err
	}
	return place, err
}

// checkOut makes a worktree at the pinned commit, or else at that of the ref.
func (s *sites) checkOut(ctx context.Context, trees *worktree.Manager, dir, name string, a *batch.Attempt) (*site, error) {
	revision := a.Commit
	if revision == "" {
		revision = a.Task.Ref
	}
	commit, err := trees.Resolve(ctx, dir, revision)
	if err != nil {
		return nil, err
	}
	if err := a.Pin(ctx, commit.ID); err != nil {
		return nil, err
	}
	tree, err := trees.CheckOut(ctx, commit, name)
	if err != nil {
		return nil, err
	}
	return &site{tree: tree, commit: commit.ID}, nil
}

// mirror returns the clone of a URL.
func (s *sites) mirror(url string) *mirror {
	sum := sha256.Sum256([]byte(url))
	return &mirror{url: url, dir: filepath.Join(s.root, reposName, hex.EncodeToString(sum[:8])+".git"), spawner: s.spawner, environ: s.environ}
}

// acceptor returns a function that reports whether a repository matches one of the patterns; nil: all do.
func acceptor(patterns []string) (func(repo string) bool, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	for _, p := range patterns {
		if !doublestar.ValidatePattern(p) {
			return nil, fmt.Errorf("--repos %q is no pattern", p)
		}
	}
	return func(repo string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, repo) })
	}, nil
}
