package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPlanPaths(t *testing.T) {
	f := newFixture(t)
	got := planPaths(Policy{
		Level:     WorkspaceWrite,
		Writable:  []string{f.root + "/src", f.root, f.bare, "/nowhere", f.outside},
		Protected: []string{f.root + "/state", f.root + "/future/state", "/etc", f.outside},
	})
	want := pathPlan{
		writable: outermost([]string{f.root, f.bare}),
		protected: []string{
			f.root + "/.git", f.root + "/.git/worktrees/tree", f.root + "/.husky", f.root + "/apart/.git", f.root + "/gits/apart", f.root + "/state", f.root + "/sub/deep/.git", f.root + "/tree/.git",
		},
		missingFolders: []string{f.bare + "/.git", f.root + "/future", f.root + "/sub/deep/hooks", f.root + "/tree/.husky"},
		renameLocked:   []string{f.root + "/apart", f.root + "/gits", f.root + "/src", f.root + "/sub", f.root + "/sub/deep", f.root + "/tree"},
	}
	slices.Sort(want.missingFolders)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pathPlan{}, hiddenPaths{})); diff != "" {
		t.Error(diff)
	}
	if g := planPaths(Policy{Level: ReadOnly, Writable: []string{f.root}}); g.writable != nil || g.protected != nil {
		t.Errorf("read-only: %+v", g)
	}
}

// TestPlanPathsBesideDeletion: nothing is created in a folder whose repository is being deleted.
func TestPlanPathsBesideDeletion(t *testing.T) {
	root := realTemp(t)
	if err := os.MkdirAll(root+"/project/.git/objects", 0o700); err != nil { // HEAD is gone already
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o777|os.ModeSticky); err != nil { // as /tmp
		t.Fatal(err)
	}
	want := pathPlan{writable: []string{root}}
	if diff := cmp.Diff(want, planPaths(Policy{Level: WorkspaceWrite, Writable: []string{root}}), cmp.AllowUnexported(pathPlan{}, hiddenPaths{})); diff != "" {
		t.Error(diff)
	}
}

func TestPlanPathsWithSymlinks(t *testing.T) {
	f := newFixture(t)
	if err := os.Symlink(f.root+"/src", f.bare+"/.git"); err != nil {
		t.Fatal(err)
	}
	g := planPaths(f.policy())
	if !slices.Contains(g.symlinks, f.bare+"/.git") || !slices.Contains(g.protected, f.root+"/src") {
		t.Errorf("%+v", g)
	}
	// Nothing can be mounted over it: its folder is allowed entry by entry.
	s := newConfining(t, configurations["landlock with namespaces"])
	for text, want := range map[string]bool{
		`rm "$BARE/.git" && mkdir "$BARE/.git"`: false, `echo x >"$ROOT/src/x"`: false, `echo x >"$ROOT/new"`: true,
	} {
		if worked, output := f.try(t, s, f.policy(), text); worked != want {
			t.Errorf("%s: %v, %s", text, worked, output)
		}
	}
}

func TestGitSearchBounds(t *testing.T) {
	s := gitSearch{listings: map[string]*listing{}}
	root := realTemp(t)
	deep := root
	for i := range gitDepth + 2 {
		if err := os.MkdirAll(deep+"/.git", 0o700); err != nil {
			t.Fatal(err)
		}
		deep = filepath.Join(deep, fmt.Sprint("level", i))
	}
	if err := os.MkdirAll(root+"/node_modules/x/.git", 0o700); err != nil {
		t.Fatal(err)
	}
	if found := s.find(root); len(found) != gitDepth+1 {
		t.Errorf("%d found, want %d: %q", len(found), gitDepth+1, found)
	}
}

// A folder is listed again once it has changed, and only then.
func TestGitSearchSeesChanges(t *testing.T) {
	s := gitSearch{listings: map[string]*listing{}}
	root := realTemp(t)
	past := time.Now().Add(-time.Hour)
	age := func() {
		if err := os.Chtimes(root, past, past); err != nil {
			t.Fatal(err)
		}
	}
	age()
	if found := s.find(root); len(found) != 0 {
		t.Fatalf("%q", found)
	}
	first := s.listings[root]
	if s.find(root); first == nil || s.listings[root] != first {
		t.Error("it was read again")
	}
	if err := os.Mkdir(root+"/.git", 0o700); err != nil {
		t.Fatal(err)
	}
	if found := s.find(root); len(found) != 1 {
		t.Errorf("the change was not seen: %q", found)
	}
	if s.listings[root] != nil {
		t.Error("a reading of what changes just now is kept")
	}
}

func TestWriteRules(t *testing.T) {
	f := newFixture(t)
	rules, err := writeRules([]string{f.root}, []string{f.root + "/.git", f.root + "/sub/deep/.git"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rules {
		got = append(got, r.Path[len(f.root):])
	}
	if diff := cmp.Diff([]string{"/.husky", "/.profile", "/apart", "/gits", "/inner", "/out", "/outfile", "/src", "/state", "/tree"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithin(t *testing.T) {
	for _, row := range []struct {
		path, folder string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/ab", "/a", false},
		{"/a", "/a/b", false},
		{"/a", "/", true},
		{"/", "/", true},
	} {
		if got := within(row.path, row.folder); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}

func BenchmarkPlanPaths(b *testing.B) {
	root := realTemp(b)
	for i := range 200 {
		if err := os.MkdirAll(fmt.Sprintf("%s/%d/%d", root, i%20, i), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, _ error) error { return os.Chtimes(path, past, past) })
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		planPaths(Policy{Level: WorkspaceWrite, Writable: []string{root}})
	}
}

func TestHookFolders(t *testing.T) {
	home := realTemp(t)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	top := filepath.Join(home, "work")
	for file, text := range map[string]string{
		top + "/.git/config":          "[user]\n\thooksPath = no\n[core]\n\tHooksPath = \"a b\" ; x\n[core \"x\"]\nhooksPath = no\n",
		top + "/.git/config.worktree": "[CORE] hookspath = /elsewhere\nhooksPath = one/two\n",
		top + "/one/two/file":         "",
		home + "/.gitconfig":          "[core]\nhooksPath=~/hooks\n[core]\nhooksPath=..\n#[core]\n#hooksPath=none\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{top + "/a b", "/elsewhere", top + "/one/two", home + "/hooks"}
	if diff := cmp.Diff(want, HooksOf(top+"/one/two")); diff != "" {
		t.Error(diff)
	}
	// The repository that contains a writable folder has hooks below that folder.
	g := planPaths(Policy{Level: WorkspaceWrite, Writable: []string{top + "/one"}})
	if !slices.Contains(g.protected, top+"/one/two") {
		t.Errorf("%+v", g)
	}
}

// The placeholder of a file is removed with its last user, unless it was written meanwhile.
func TestPlaceholderFiles(t *testing.T) {
	dir := realTemp(t)
	empty, written := dir+"/empty", dir+"/written"
	set := placeholderSet{users: map[string]int{}}
	first, second := set.create(nil, []string{empty, written}), set.create(nil, []string{empty})
	if len(first) != 2 || len(second) != 1 || !set.has(empty) {
		t.Fatalf("%q, %q", first, second)
	}
	if err := os.WriteFile(written, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	set.release(first)
	if !fileExists(empty) || !fileExists(written) {
		t.Error("a file is gone")
	}
	set.release(second)
	if fileExists(empty) {
		t.Error("the placeholder is left")
	}
	// A file that another process created is protected, and is not removed.
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	there := set.create(nil, []string{empty})
	if set.release(there); len(there) != 1 || !fileExists(empty) {
		t.Errorf("%q", there)
	}
}
