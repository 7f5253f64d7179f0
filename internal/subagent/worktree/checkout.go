package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/regular"
)

// A Commit is a commit of a repository on this machine.
type Commit struct {
	ID     string
	common string // the git folder of the repository
	dir    string // where git finds the repository
}

// Resolve returns the commit of a revision; "" is the HEAD. dir is in a work tree, or a bare repository. It returns ErrNoRepository for
// a folder without git. It fails where the repository has git run programs, unless the folder is trusted, as Isolate does.
func (m *Manager) Resolve(ctx context.Context, dir, revision string) (Commit, error) {
	if revision == "" {
		revision = "HEAD"
	}
	if strings.HasPrefix(revision, "-") {
		return Commit{}, fmt.Errorf("%q is no revision", revision)
	}
	text, err := m.at(dir).run(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir", "--verify", revision+"^{commit}")
	if refused, ok := errors.AsType[*git.Error](err); ok && strings.Contains(refused.Text, "not a git repository") {
		return Commit{}, fmt.Errorf("%w: %s", ErrNoRepository, dir)
	}
	if err != nil {
		return Commit{}, fmt.Errorf("find %s in %s: %w", revision, dir, err)
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) != 2 {
		return Commit{}, fmt.Errorf("the path %s holds a line feed, which isolation cannot handle", dir)
	}
	return Commit{ID: lines[1], common: lines[0], dir: dir}, m.checkOwnPrograms(ctx, dir)
}

// Prefix returns the folder that dir is below the top of its work tree; "" for the top itself.
func (m *Manager) Prefix(ctx context.Context, dir string) (string, error) {
	text, err := m.at(dir).run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", fmt.Errorf("find the work tree of %s: %w", dir, err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "/"), nil
}

// checkOwnPrograms is checkPrograms in one run of git: only the settings of the repository are read.
func (m *Manager) checkOwnPrograms(ctx context.Context, dir string) error {
	if m.trusts != nil && m.trusts(dir) {
		return nil
	}
	g := m.at(dir).with("GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	found, err := g.run(ctx, "config", "--includes", "--name-only", "--get-regexp", programs)
	if _, none := errors.AsType[*git.Error](err); none {
		return nil
	}
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(found, "\n")
	return fmt.Errorf("%s has git run a program (%s in its own configuration), which only a folder that you trust may", dir, name)
}

// CheckOut makes a copy of a commit: a worktree with its files, and nothing of what is not committed. Submodules stay empty folders. The
// folder of the copy has the name, unless another copy has it. The caller must Close the Tree.
func (m *Manager) CheckOut(ctx context.Context, c Commit, name string) (*Tree, error) {
	p, err := m.namedSlot(name)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(p.dir, treeName)
	t := &Tree{manager: m, slot: p, dir: root}
	if err := t.checkOutCommit(ctx, c, &repository{main: c.dir, common: c.common, tree: root, base: c.ID}); err != nil {
		return nil, fmt.Errorf("check out %s of %s: %w", c.ID, c.dir, errors.Join(err, t.Close()))
	}
	return t, nil
}

func (t *Tree) checkOutCommit(ctx context.Context, c Commit, r *repository) error {
	dir := filepath.Join(t.slot.dir, "repository-0")
	if err := t.private(r, dir); err != nil {
		return err
	}
	t.repositories = []*repository{r}
	if err := t.slot.note(note{Common: r.common, Worktree: r.tree}); err != nil {
		return err
	}
	if err := t.add(ctx, r); err != nil {
		return err
	}
	link, err := regular.ReadFile(filepath.Join(r.tree, ".git"), maxGitdir) // nothing has worked in the copy yet
	if err != nil {
		return err
	}
	at := strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
	r.git = r.git.with("GIT_DIR="+at, "GIT_WORK_TREE="+r.tree)
	if _, err := r.git.writing(r.tree).run(ctx, "read-tree", "--reset", "-u", r.base); err != nil {
		return err
	}
	index, err := os.ReadFile(r.git.variable("GIT_INDEX_FILE"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(at, "index"), index, 0o600); err != nil {
		return err
	}
	r.before, err = r.git.line(ctx, "rev-parse", r.base+"^{tree}")
	return err
}

// Empty makes a copy of nothing: an empty folder, whose files are all new. The caller must Close the Tree.
func (m *Manager) Empty(name string) (*Tree, error) {
	p, err := m.namedSlot(name)
	if err != nil {
		return nil, err
	}
	t := &Tree{manager: m, slot: p, dir: filepath.Join(p.dir, treeName), empty: true}
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// beginEmpty makes the repository of an empty copy, unless it has one or there is still nothing in it.
func (t *Tree) beginEmpty(ctx context.Context) error {
	if !t.empty || len(t.repositories) > 0 {
		return nil
	}
	if entries, err := os.ReadDir(t.dir); err != nil || len(entries) == 0 {
		return err
	}
	r := &repository{main: t.dir, tree: t.dir}
	dir := filepath.Join(t.slot.dir, "repository-0")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := t.shadow(ctx, r, dir); err != nil {
		return err
	}
	var err error
	if r.before, err = r.git.line(ctx, "write-tree"); err == nil {
		t.repositories = []*repository{r}
	}
	return err
}

// Below returns a folder of the copy, which exists and is not reached through a link out of the copy.
func (t *Tree) Below(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(t.dir, dir))
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("the folder %s leads out of the repository", dir)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", dir)
	}
	return real, nil
}
