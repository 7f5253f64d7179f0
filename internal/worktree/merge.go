package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrConflict: changes do not fit to what is there now. Nothing was changed.
var ErrConflict = errors.New("the changes do not fit to what is there now")

// ErrNoRepository: the folder is in no git repository, and cannot have branches.
var ErrNoRepository = errors.New("the folder is in no git repository")

// Apply brings changes to the folders that the copies were made of: all of them, one behind
// the other, or none. Only files are changed: no index, no commit. The copies may be
// closed. ErrConflict.
func (k *Keeper) Apply(ctx context.Context, deltas ...Delta) error {
	k.merging.Lock()
	defer k.merging.Unlock()
	scratch, err := os.MkdirTemp("", "parley-patch-*")
	if err != nil {
		return fmt.Errorf("apply changes: %w", err)
	}
	defer os.RemoveAll(scratch)
	mains, patches := together(deltas)
	if path := madeTwice(deltas); path != "" {
		return fmt.Errorf("%w: several of them make %s", ErrConflict, path)
	}
	for i, main := range mains {
		path := filepath.Join(scratch, fmt.Sprintf("%d.patch", i))
		if err := os.WriteFile(path, patches[main], 0o600); err != nil {
			return fmt.Errorf("apply changes: %w", err)
		}
		if err := k.patch(ctx, main, path, "--check"); err != nil {
			return err
		}
	}
	for i, main := range mains {
		if err := k.patch(context.WithoutCancel(ctx), main, filepath.Join(scratch, fmt.Sprintf("%d.patch", i))); err != nil {
			return err
		}
	}
	return nil
}

// together is one patch for each work tree, in the order of the deltas: git applies all of a
// file or nothing, but not all of several files.
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

// madeTwice is a file that several deltas make, or that one makes where another makes a folder;
// "": there is none. In one patch git would let the last of them win.
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

// patch applies a patch to a work tree, all of it or nothing.
func (k *Keeper) patch(ctx context.Context, main, patch string, more ...string) error {
	args := append([]string{"apply", "--whitespace=nowarn"}, more...)
	_, err := k.at(main).with("GIT_CEILING_DIRECTORIES="+filepath.Dir(main)).run(ctx, append(args, patch)...)
	return conflict(err)
}

// conflict is ErrConflict for what git refuses.
func conflict(err error) error {
	if refused, ok := errors.AsType[*gitError](err); ok {
		return fmt.Errorf("%w: %s", ErrConflict, refused.text)
	}
	return err
}

// Branch makes a branch of the outermost repository's changes: one commit on the commit
// that the copy was made at. What was not committed then is not part of it. If there is a
// branch of that name, a number is added; the name is returned. Nothing is checked out.
// ErrConflict: the changes need what was not committed. ErrNoRepository.
func (k *Keeper) Branch(ctx context.Context, d Delta, name, message string) (string, error) {
	k.merging.Lock()
	defer k.merging.Unlock()
	for _, p := range d.Patches {
		if p.Repository == "" {
			return k.branch(ctx, p, name, message)
		}
	}
	return "", errors.New("nothing was changed that a branch could hold")
}

func (k *Keeper) branch(ctx context.Context, p Patch, name, message string) (string, error) {
	if p.common == "" {
		return "", ErrNoRepository
	}
	scratch, err := os.MkdirTemp("", "parley-branch-*")
	if err != nil {
		return "", fmt.Errorf("make branch %s: %w", name, err)
	}
	defer os.RemoveAll(scratch)
	path := filepath.Join(scratch, "patch")
	if err := os.WriteFile(path, p.Text, 0o600); err != nil {
		return "", fmt.Errorf("make branch %s: %w", name, err)
	}
	g := k.at(p.main).with("GIT_INDEX_FILE=" + filepath.Join(scratch, "index"))
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
	commit, err := g.with(k.identity(ctx, g)...).line(ctx, "commit-tree", "-p", p.base, "-m", message, tree)
	if err != nil {
		return "", err
	}
	return g.newBranch(ctx, name, commit)
}

// newBranch gives a commit the first free name.
func (g git) newBranch(ctx context.Context, name, commit string) (string, error) {
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
