package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/git"
)

// ErrConflict is the error for changes that cannot be applied to the present files. Nothing was
// changed.
var ErrConflict = errors.New("the changes do not fit to what is there now")

// ErrNoRepository is the error for a folder that is in no git repository and cannot have branches.
var ErrNoRepository = errors.New("the folder is in no git repository")

// Apply applies changes to the folders that the copies were made of: all of them, one after the
// other, or none. It changes only files: no index, no commit. The copies may be closed. The error
// is ErrConflict if the changes do not fit.
func (m *Manager) Apply(ctx context.Context, deltas ...Delta) error {
	m.merging.Lock()
	defer m.merging.Unlock()
	scratch, remove, err := m.scratch("patch")
	if err != nil {
		return fmt.Errorf("apply changes: %w", err)
	}
	defer remove()
	mains, patches := together(deltas)
	if path := madeTwice(deltas); path != "" {
		return fmt.Errorf("%w: several of them make %s", ErrConflict, path)
	}
	for i, main := range mains {
		path := filepath.Join(scratch, fmt.Sprintf("%d.patch", i))
		if err := os.WriteFile(path, patches[main], 0o600); err != nil {
			return fmt.Errorf("apply changes: %w", err)
		}
		if err := m.patch(ctx, main, path, "--check"); err != nil {
			return err
		}
	}
	for i, main := range mains {
		if err := m.patch(context.WithoutCancel(ctx), main, filepath.Join(scratch, fmt.Sprintf("%d.patch", i))); err != nil {
			return err
		}
	}
	return nil
}

// scratch makes a folder beside the copies, which commands cannot write: a patch there is what it was when it was checked. remove removes it.
func (m *Manager) scratch(name string) (dir string, remove func(), err error) {
	p, err := m.newSlot(name)
	return p.dir, func() { _ = m.remove(p) }, err // a leftover is removed with those of copies
}

// together returns one patch for each work tree, in the order of the deltas: git applies one patch
// file completely or not at all, but not several.
func together(deltas []Delta) (mains []string, patches map[string][]byte) {
	patches = map[string][]byte{}
	for _, d := range deltas {
		for _, p := range d.Patches {
			if patches[p.main] == nil {
				mains = append(mains, p.main)
			}
			patches[p.main] = append(patches[p.main], p.Text...)
		}
	}
	return mains, patches
}

// madeTwice returns a file that several deltas create, or that one creates where another creates a
// folder; "" if there is none. In one patch git would apply the last of them.
func madeTwice(deltas []Delta) string {
	made := map[string]bool{} // absolute
	for _, d := range deltas {
		for _, p := range d.Patches {
			for _, name := range p.made {
				path := filepath.Join(p.main, name)
				if made[path] {
					return name
				}
				made[path] = true
			}
		}
	}
	for path := range made {
		for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if made[dir] {
				return dir
			}
		}
	}
	return ""
}

// patch applies a patch to a work tree, completely or not at all.
func (m *Manager) patch(ctx context.Context, main, patch string, more ...string) error {
	args := append([]string{"apply", "--whitespace=nowarn"}, more...)
	g := m.at(main).with("GIT_CEILING_DIRECTORIES=" + filepath.Dir(main)).writing(main)
	_, err := g.run(ctx, append(args, patch)...)
	return conflict(err)
}

// conflict returns ErrConflict for a *git.Error, and any other error as it is.
func conflict(err error) error {
	if refused, ok := errors.AsType[*git.Error](err); ok {
		return fmt.Errorf("%w: %s", ErrConflict, refused.Text)
	}
	return err
}

// Branch creates a branch with the changes of the outermost repository, and returns its name. It
// is one commit on the commit that the copy was made at, without the changes that were not
// committed then. If the name is used, a number is added. Nothing is checked out. The error is
// ErrConflict if the changes depend on those that were not committed, and ErrNoRepository for a
// folder without git.
func (m *Manager) Branch(ctx context.Context, d Delta, name, message string) (string, error) {
	m.merging.Lock()
	defer m.merging.Unlock()
	for _, p := range d.Patches {
		if p.Repository == "" {
			return m.branch(ctx, p, name, message)
		}
	}
	return "", errors.New("nothing was changed that a branch could hold")
}

func (m *Manager) branch(ctx context.Context, p Patch, name, message string) (string, error) {
	if p.common == "" {
		return "", ErrNoRepository
	}
	scratch, remove, err := m.scratch("branch")
	if err != nil {
		return "", fmt.Errorf("make branch %s: %w", name, err)
	}
	defer remove()
	path := filepath.Join(scratch, "patch")
	if err := os.WriteFile(path, p.Text, 0o600); err != nil {
		return "", fmt.Errorf("make branch %s: %w", name, err)
	}
	folders, err := foldersIn(p.common, "objects", "refs", "logs")
	if err != nil {
		return "", fmt.Errorf("make branch %s: %w", name, err)
	}
	g := m.at(p.main).with("GIT_INDEX_FILE="+filepath.Join(scratch, "index")).writing(scratch, filepath.Join(p.common, "reftable")).writing(folders...)
	if _, err := g.run(ctx, "read-tree", p.base); err != nil {
		return "", err
	}
	if _, err := g.run(ctx, "apply", "--cached", "--whitespace=nowarn", path); err != nil {
		return "", conflict(err)
	}
	tree, err := g.line(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	commit, err := g.with(m.identity(ctx, g)...).line(ctx, "commit-tree", "-p", p.base, "-m", message, tree)
	if err != nil {
		return "", err
	}
	return g.newBranch(ctx, name, commit)
}

// newBranch creates a branch at a commit with the first free name.
func (g runner) newBranch(ctx context.Context, name, commit string) (string, error) {
	const most = 1000
	for n := 1; n <= most; n++ {
		free := name
		if n > 1 {
			free = fmt.Sprintf("%s-%d", name, n)
		}
		if _, err := g.run(ctx, "check-ref-format", "--branch", free); err != nil {
			return "", fmt.Errorf("%s is no name for a branch", free)
		}
		if _, err := g.run(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+free); err == nil {
			continue
		}
		_, err := g.run(ctx, "update-ref", "refs/heads/"+free, commit, strings.Repeat("0", len(commit)))
		return free, err
	}
	return "", fmt.Errorf("there are too many branches %s", name)
}
