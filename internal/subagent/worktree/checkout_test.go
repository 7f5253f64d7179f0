package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sharedManager returns a Manager of a folder beside others with the same lock.
func sharedManager(t *testing.T) *Manager {
	t.Helper()
	m := newManager(t)
	root := m.root
	return New(Options{Root: filepath.Join(root, "batch"), Lock: filepath.Join(root, ".lock"), Spawner: m.spawner, Environ: m.environ})
}

// TestCheckOut: a copy of a commit has none of what the user has not committed, its patch applies at the commit, and nothing is left.
func TestCheckOut(t *testing.T) {
	m, ctx := sharedManager(t), t.Context()
	dir := realTemp(t)
	gitIn(t, dir, "init", "-q")
	files{"a.txt": "1\n2\n3\n", "old": "one\ntwo\nthree\nfour\n", "gone": "x\n", "sub/b": "b\n"}.write(t, dir)
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "first")
	gitIn(t, dir, "tag", "v1")
	files{"a.txt": "second\n"}.write(t, dir)
	gitIn(t, dir, "commit", "-q", "-a", "-m", "second")
	files{"a.txt": "uncommitted\n", "new": "x\n"}.write(t, dir)
	if _, err := m.Resolve(ctx, dir, "none"); err == nil {
		t.Error("a revision that does not exist was found")
	}
	if _, err := m.Resolve(ctx, realTemp(t), ""); !errors.Is(err, ErrNoRepository) {
		t.Errorf("a folder without git: %v", err)
	}
	c, err := m.Resolve(ctx, filepath.Join(dir, "sub"), "v1")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := m.CheckOut(ctx, c, "task.1")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(m.root, "task.1", "tree"); tree.Dir() != want {
		t.Errorf("the copy is %s, want %s", tree.Dir(), want)
	}
	if d, err := tree.Capture(ctx); err != nil || !d.Empty() {
		t.Fatalf("without changes: %+v, %v", d, err)
	}
	if text := gitIn(t, tree.Dir(), "status", "--porcelain"); text != "" {
		t.Errorf("git status in the copy: %s", text)
	}
	files{"a.txt": "1\ntwo\n3\n4\n", "moved": "one\ntwo\nthree\nfour\n", "bin": "\x00\x01"}.write(t, tree.Dir())
	for _, name := range []string{"old", "gone"} {
		if err := os.Remove(filepath.Join(tree.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := tree.Capture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Files(ctx)
	want := []FileChange{{"a.txt", "change", 2, 1}, {"bin", "add", -1, -1}, {"gone", "remove", 0, 1}, {"moved", "rename", 0, 0}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("files %+v, %v", got, err)
	}
	other := filepath.Join(realTemp(t), "clone")
	gitIn(t, dir, "clone", "-q", dir, other)
	gitIn(t, other, "checkout", "-q", c.ID)
	patch := filepath.Join(realTemp(t), "patch")
	if err := os.WriteFile(patch, d.Outer(), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, other, "apply", patch)
	for _, out := range []string{"..", "link"} {
		_ = os.Symlink("/", filepath.Join(tree.Dir(), "link"))
		if at, err := tree.Below(out); err == nil {
			t.Errorf("%s is below the copy: %s", out, at)
		}
	}
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(m.root); !os.IsNotExist(err) {
		t.Errorf("the folder of copies is left: %v", err)
	}
	if list := gitIn(t, dir, "worktree", "list"); len(list) == 0 || slices.Contains([]byte(list[:len(list)-1]), '\n') {
		t.Errorf("worktrees are left:\n%s", list)
	}
}

func TestCheckOutOfBareRepository(t *testing.T) {
	m, ctx := sharedManager(t), t.Context()
	dir := realTemp(t)
	gitIn(t, dir, "init", "-q")
	files{"a": "1\n"}.write(t, dir)
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "first")
	bare := filepath.Join(realTemp(t), "bare.git")
	gitIn(t, dir, "clone", "-q", "--bare", dir, bare)
	c, err := m.Resolve(ctx, bare, "")
	if err != nil {
		t.Fatal(err)
	}
	first, err := m.CheckOut(ctx, c, "t.1")
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.CheckOut(ctx, c, "t.1") // the name is used
	if err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, second.Dir()); got["a"] != "1\n" || first.Dir() == second.Dir() {
		t.Errorf("%s has %v", second.Dir(), got)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "config", "filter.x.clean", "touch /tmp/x")
	if _, err := m.Resolve(ctx, dir, ""); err == nil {
		t.Error("a repository whose settings run programs was taken")
	}
}

func TestEmpty(t *testing.T) {
	m, ctx := sharedManager(t), t.Context()
	tree, err := m.Empty("t.1")
	if err != nil {
		t.Fatal(err)
	}
	if d, err := tree.Capture(ctx); err != nil || !d.Empty() {
		t.Errorf("%+v, %v", d, err)
	}
	files{"a/b": "1\n2\n"}.write(t, tree.Dir())
	d, err := tree.Capture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Files(ctx); err != nil || !slices.Equal(got, []FileChange{{"a/b", "add", 2, 0}}) {
		t.Errorf("files %+v, %v", got, err)
	}
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
}
