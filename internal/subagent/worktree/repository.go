package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/regular"
)

// A repository is one that is copied: that of the folder, or one nested in it.
type repository struct {
	git    runner   // runs in tree, with the private objects
	rel    string   // the path below the outermost, with "/"; "" for the outermost
	main   string   // the work tree that it is a copy of
	common string   // the git folder of main; "" for a folder that is in no repository
	tree   string   // the copy
	base   string   // the commit that is checked out; "" if common is ""
	before string   // the tree object of main at the snapshot
	inner  []string // the paths in it that belong to other repositories, relative to it
}

// at returns git in a repository of the user, with its own settings.
func (m *Manager) at(dir string) runner { return runner{manager: m, dir: dir} }

// find returns the work tree that contains dir, its git folder, and the path of dir in it. The
// work tree is "" if there is none.
func (m *Manager) find(ctx context.Context, dir string) (top, common, prefix string, err error) {
	text, err := m.at(dir).run(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if refused, ok := errors.AsType[*git.Error](err); ok {
		if strings.Contains(refused.Text, "not a git repository") || strings.Contains(refused.Text, "must be run in a work tree") {
			return "", "", "", nil
		}
	}
	if err != nil {
		return "", "", "", fmt.Errorf("look for a repository: %w", err)
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) != 2 {
		return "", "", "", fmt.Errorf("the path %s holds a line feed, which isolation cannot handle", dir)
	}
	if prefix, err = filepath.Rel(lines[0], dir); err != nil {
		return "", "", "", err
	}
	return lines[0], lines[1], prefix, m.checkPrograms(ctx, lines[0])
}

// isolate copies r.main to r.tree, and then each repository nested in it.
func (t *Tree) isolate(ctx context.Context, r *repository, number int) error {
	dir := filepath.Join(t.slot.dir, fmt.Sprintf("repository-%d", number))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if r.common == "" {
		if err := t.shadow(ctx, r, dir); err != nil {
			return err
		}
	} else if err := t.private(r, dir); err != nil {
		return err
	}
	t.repositories = append(t.repositories, r)
	nested, err := t.snapshot(ctx, r)
	if err != nil {
		return err
	}
	if err := t.checkOut(ctx, r); err != nil {
		return err
	}
	for _, path := range nested {
		inner, err := t.nested(ctx, r, path)
		if err != nil {
			return err
		}
		if err := t.isolate(ctx, inner, len(t.repositories)); err != nil {
			return fmt.Errorf("the repository %s in it: %w", inner.rel, err)
		}
	}
	return nil
}

// nested returns the repository at path in r.
func (t *Tree) nested(ctx context.Context, r *repository, path string) (*repository, error) {
	inner := &repository{
		rel: strings.TrimPrefix(r.rel+"/"+path, "/"), main: filepath.Join(r.main, path), tree: filepath.Join(r.tree, path),
	}
	top, common, _, err := t.manager.find(ctx, inner.main)
	if err == nil && top != inner.main {
		err = fmt.Errorf("%s looks like a repository and is none: isolation is not possible", inner.rel)
	}
	inner.common = common
	return inner, err
}

// private gives r an index and objects of its own, so that the user's stay as they are.
func (t *Tree) private(r *repository, dir string) error {
	objects := filepath.Join(dir, "objects")
	if err := os.MkdirAll(filepath.Join(objects, "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(objects, "info", "alternates"), []byte(filepath.Join(r.common, "objects")+"\n"), 0o600); err != nil {
		return err
	}
	r.git = t.manager.at(r.tree).with("GIT_OBJECT_DIRECTORY="+objects, "GIT_INDEX_FILE="+filepath.Join(dir, "index")).
		writing(dir, filepath.Join(r.common, "lfs")) // the filter of Git LFS stores objects there
	return nil
}

// shadow creates a repository beside the copy, for a folder that has none.
func (t *Tree) shadow(ctx context.Context, r *repository, dir string) error {
	if err := checkSize(r.main); err != nil {
		return err
	}
	at := filepath.Join(dir, "git")
	r.git = t.manager.at(r.tree).with("GIT_DIR="+at, "GIT_WORK_TREE="+r.tree, "GIT_INDEX_FILE="+filepath.Join(dir, "index")).writing(dir)
	_, err := t.manager.at(dir).writing(dir).run(ctx, "init", "-q", "--bare", "--template=", at)
	for _, setting := range []string{"core.bare", "core.autocrlf"} {
		if err == nil {
			_, err = t.manager.at(dir).writing(dir).run(ctx, "config", "--file", filepath.Join(at, "config"), setting, "false")
		}
	}
	return err
}

func (g runner) inFolder(dir string) runner {
	g.dir = dir
	return g
}

// inMain returns git in the work tree that r is a copy of, with the private objects.
func (r *repository) inMain() runner {
	g := r.git.inFolder(r.main)
	if r.common == "" {
		g = g.with("GIT_WORK_TREE=" + r.main)
	}
	return g
}

// snapshot writes r.main as a tree object, and returns the repositories that are nested in it.
func (t *Tree) snapshot(ctx context.Context, r *repository) (nested []string, err error) {
	g := r.inMain()
	if r.common != "" {
		if err := copyIndex(ctx, t.manager.at(r.main), r.git); err != nil {
			return nil, err
		}
	}
	if err := t.manager.checkTracked(ctx, r); err != nil {
		return nil, err
	}
	foreign, err := untrackedRepositories(ctx, g)
	if err != nil {
		return nil, err
	}
	r.inner = slices.Clone(foreign)
	if rel, err := filepath.Rel(r.main, t.manager.root); err == nil && filepath.IsLocal(rel) {
		r.inner = append(r.inner, filepath.ToSlash(rel))
		foreign = slices.DeleteFunc(foreign, func(path string) bool { return path == rel || strings.HasPrefix(path, rel+"/") })
	}
	if r.before, err = writeTree(ctx, g, r.inner); err != nil {
		return nil, err
	}
	links, err := gitlinks(ctx, g, r.main)
	r.inner = append(r.inner, links...)
	return append(links, foreign...), err
}

// maxIndex limits the index of a repository, in bytes.
const maxIndex = 1 << 30

// copyIndex copies the user's index to the private one, so that git need not read all files again.
func copyIndex(ctx context.Context, from, to runner) error {
	path, err := from.line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return err
	}
	data, err := regular.ReadFile(path, maxIndex)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to.variable("GIT_INDEX_FILE"), data, 0o600)
}

// variable returns the last value of a variable in g's own environment.
func (g runner) variable(name string) string {
	for _, entry := range slices.Backward(g.env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// untrackedRepositories returns the nested repositories that are not tracked.
func untrackedRepositories(ctx context.Context, g runner) ([]string, error) {
	text, err := g.run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	var found []string
	for path := range strings.SplitSeq(text, "\x00") {
		if repository, ok := strings.CutSuffix(path, "/"); ok {
			found = append(found, repository)
		}
	}
	return found, err
}

// gitlinks returns the tracked repositories that exist; one that is not checked out stays an empty
// folder.
func gitlinks(ctx context.Context, g runner, main string) ([]string, error) {
	text, err := g.run(ctx, "ls-files", "-z", "--stage")
	var found []string
	for entry := range strings.SplitSeq(text, "\x00") {
		head, path, _ := strings.Cut(entry, "\t")
		if !strings.HasPrefix(head, "160000 ") {
			continue
		}
		if _, err := os.Lstat(filepath.Join(main, path, ".git")); err == nil {
			found = append(found, path)
		}
	}
	return found, err
}

// writeTree writes the work tree as a tree object, without the paths below others.
func writeTree(ctx context.Context, g runner, others []string) (string, error) {
	if _, err := g.run(ctx, slices.Concat([]string{"add", "--all", "--"}, without(others))...); err != nil {
		return "", err
	}
	return g.line(ctx, "write-tree")
}

// without returns pathspecs of everything except paths.
func without(paths []string) []string {
	specs := []string{":(top)"}
	for _, path := range paths {
		specs = append(specs, ":(top,exclude,literal)"+path)
	}
	return specs
}

// checkOut writes the files of the snapshot to r.tree. If there are commits, its HEAD is the
// user's, and changes that were not committed are not committed in the copy either.
func (t *Tree) checkOut(ctx context.Context, r *repository) error {
	if r.common == "" {
		if err := os.MkdirAll(r.tree, 0o700); err != nil {
			return err
		}
		_, err := r.git.writing(r.tree).run(ctx, "read-tree", "--reset", "-u", r.before)
		return err
	}
	if err := t.baseOf(ctx, r); err != nil {
		return err
	}
	if err := t.slot.note(note{Common: r.common, Worktree: r.tree}); err != nil {
		return err
	}
	if err := t.add(ctx, r); err != nil {
		return err
	}
	if err := r.pin(ctx); err != nil {
		return err
	}
	if _, err := r.git.writing(r.tree).run(ctx, "read-tree", "--reset", "-u", r.before); err != nil {
		return err
	}
	g := t.manager.at(r.tree).with("GIT_OBJECT_DIRECTORY=" + r.git.variable("GIT_OBJECT_DIRECTORY"))
	_, err := g.writing(r.git.variable("GIT_DIR"), r.git.variable("GIT_OBJECT_DIRECTORY")).run(ctx, "reset", "--quiet")
	return err
}

// add makes r.tree a worktree of the repository, at r.base and without files.
func (t *Tree) add(ctx context.Context, r *repository) error {
	return t.manager.exclusive(func() error { // git fails if several run at the same time
		folders, err := foldersIn(r.common, "worktrees")
		if err == nil {
			err = os.MkdirAll(r.tree, 0o700) // git takes an empty folder
		}
		if err != nil {
			return err
		}
		_, err = t.manager.at(r.main).writing(folders...).writing(r.tree).run(ctx, "worktree", "add", "--quiet", "--detach", "--no-checkout", r.tree, r.base)
		return err
	})
}

// pin stores the git folder of the copy. Work in the copy can change the file that names it, to a
// folder whose settings run programs.
func (r *repository) pin(ctx context.Context) error {
	at, err := r.git.line(ctx, "rev-parse", "--absolute-git-dir")
	r.git = r.git.with("GIT_DIR="+at, "GIT_WORK_TREE="+r.tree)
	return err
}

// baseOf sets r.base to the commit of r's HEAD. A repository without commits gets an empty one
// that no branch refers to.
func (t *Tree) baseOf(ctx context.Context, r *repository) (err error) {
	g := t.manager.at(r.main)
	if r.base, err = g.line(ctx, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err == nil {
		return nil
	}
	identity := t.manager.identity(ctx, g)
	g = g.writing(filepath.Join(r.common, "objects"))
	empty, err := g.line(ctx, "hash-object", "-t", "tree", "-w", os.DevNull)
	if err != nil {
		return err
	}
	r.base, err = g.with(identity...).line(ctx, "commit-tree", "-m", "Nothing yet", empty)
	return err
}

// identity returns variables with the author of a commit, if the user has configured none.
func (m *Manager) identity(ctx context.Context, g runner) []string {
	if email, err := g.line(ctx, "config", "user.email"); err == nil && email != "" {
		return nil
	}
	return []string{
		"GIT_AUTHOR_NAME=Parley", "GIT_AUTHOR_EMAIL=parley@localhost", "GIT_COMMITTER_NAME=Parley", "GIT_COMMITTER_EMAIL=parley@localhost",
	}
}
