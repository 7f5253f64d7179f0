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

func TestSurvey(t *testing.T) {
	h := newHouse(t)
	got := survey(Policy{
		Level:     WorkspaceWrite,
		Writable:  []string{h.root + "/src", h.root, h.bare, "/nowhere", h.outside},
		Protected: []string{h.root + "/state", h.root + "/future/state", "/etc", h.outside},
	})
	want := ground{
		writable: outermost([]string{h.root, h.bare}),
		protected: []string{
			h.root + "/.git", h.root + "/.git/worktrees/tree", h.root + "/state", h.root + "/sub/deep/.git", h.root + "/tree/.git",
		},
		missing: []string{h.bare + "/.git", h.root + "/future"},
		pinned:  []string{h.root + "/src"},
	}
	slices.Sort(want.missing)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(ground{})); diff != "" {
		t.Error(diff)
	}
	if g := survey(Policy{Level: ReadOnly, Writable: []string{h.root}}); g.writable != nil || g.protected != nil {
		t.Errorf("read-only: %+v", g)
	}
}

func TestSurveyOfLinks(t *testing.T) {
	h := newHouse(t)
	if err := os.Symlink(h.root+"/src", h.bare+"/.git"); err != nil {
		t.Fatal(err)
	}
	g := survey(h.policy())
	if !slices.Contains(g.links, h.bare+"/.git") || !slices.Contains(g.protected, h.root+"/src") {
		t.Errorf("%+v", g)
	}
	// Nothing can be mounted over it: its folder is allowed entry by entry.
	s := newConfining(t, ways["landlock with namespaces"])
	for text, want := range map[string]bool{
		`rm "$BARE/.git" && mkdir "$BARE/.git"`: false, `echo x >"$ROOT/src/x"`: false, `echo x >"$ROOT/new"`: true,
	} {
		if worked, said := h.try(t, s, h.policy(), text); worked != want {
			t.Errorf("%s: %v, %s", text, worked, said)
		}
	}
}

func TestGitSearchBounds(t *testing.T) {
	s := gitSearch{read: map[string]*reading{}}
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

// What was read is read again once it has changed, and only then.
func TestGitSearchSeesChanges(t *testing.T) {
	s := gitSearch{read: map[string]*reading{}}
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
	first := s.read[root]
	if s.find(root); first == nil || s.read[root] != first {
		t.Error("it was read again")
	}
	if err := os.Mkdir(root+"/.git", 0o700); err != nil {
		t.Fatal(err)
	}
	if found := s.find(root); len(found) != 1 {
		t.Errorf("the change was not seen: %q", found)
	}
	if s.read[root] != nil {
		t.Error("a reading of what changes just now is kept")
	}
}

func TestWorkRules(t *testing.T) {
	h := newHouse(t)
	rules, err := workRules([]string{h.root}, []string{h.root + "/.git", h.root + "/sub/deep/.git"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rules {
		got = append(got, r.Path[len(h.root):])
	}
	if diff := cmp.Diff([]string{"/inner", "/out", "/outfile", "/src", "/state", "/tree"}, got); diff != "" {
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

func BenchmarkSurvey(b *testing.B) {
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
		survey(Policy{Level: WorkspaceWrite, Writable: []string{root}})
	}
}
