package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// binary is a content that is no text.
var binary = string([]byte{0, 1, 2, 0xff, 0xfe, '\n', 0, 'x', '\r', '\n'})

// TestRoundTrip: what is done in a copy, and nothing else, arrives in the folder, whatever
// kind of change it is, on top of changes that were never committed.
func TestRoundTrip(t *testing.T) {
	committed := files{
		"a.txt": "one\ntwo\nthree\n", "old/name.txt": strings.Repeat("some line\n", 30), "gone.txt": "bye\n", "run.sh": "#!/bin/sh\n",
		"link": "-> a.txt", "image.bin": binary, "crlf.txt": "one\r\ntwo\r\n", "with space ü.txt": "x\n", "no-newline": "end", ".gitignore": "*.log\nbuild/\n", "keep.txt": "k\n",
	}
	dirty := files{"a.txt": "one\nTWO by the user\nthree\n", "untracked.txt": "new\n", "untracked/deep/er.bin": binary + "2", "run.sh": "+x #!/bin/sh\n"}
	ignored := files{"debug.log": "noise", "build/out.o": binary}
	for _, test := range []struct {
		name string
		work func(t *testing.T, dir string)
		want func(files)
	}{
		{"nothing", func(*testing.T, string) {}, func(files) {}},
		{"edit a line beside the user's", writes(files{"a.txt": "one\nTWO by the user\nthree and more\n"}), puts(files{"a.txt": "one\nTWO by the user\nthree and more\n"})},
		{"edit an untracked file", writes(files{"untracked.txt": "new\nnewer\n"}), puts(files{"untracked.txt": "new\nnewer\n"})},
		{"delete an untracked file", removes("untracked/deep/er.bin"), drops("untracked/deep/er.bin")},
		{"add", writes(files{"x/y/z.txt": "z\n", "empty": "", "ünï.txt": "ü"}), puts(files{"x/y/z.txt": "z\n", "empty": "", "ünï.txt": "ü"})},
		{"binary", writes(files{"image.bin": binary + binary, "more.bin": binary}), puts(files{"image.bin": binary + binary, "more.bin": binary})},
		{"delete", removes("gone.txt"), drops("gone.txt")},
		{"rename", moves("old/name.txt", "new/place.txt"), func(f files) { f["new/place.txt"] = f["old/name.txt"]; delete(f, "old/name.txt") }},
		{"exec bit", writes(files{"gone.txt": "+x bye\n", "run.sh": "#!/bin/sh\n"}), puts(files{"gone.txt": "+x bye\n", "run.sh": "#!/bin/sh\n"})},
		{"symlinks", writes(files{"link": "-> keep.txt", "far": "-> /nowhere/at/all", "keep.txt": "-> a.txt"}), puts(files{"link": "-> keep.txt", "far": "-> /nowhere/at/all", "keep.txt": "-> a.txt"})},
		{"CRLF", writes(files{"crlf.txt": "one\r\n2\r\n", "mixed.txt": "a\r\nb\n"}), puts(files{"crlf.txt": "one\r\n2\r\n", "mixed.txt": "a\r\nb\n"})},
		{"no newline at the end", writes(files{"no-newline": "the end"}), puts(files{"no-newline": "the end"})},
		{"white space", writes(files{"with space ü.txt": "x  \n\t \n\n\n"}), puts(files{"with space ü.txt": "x  \n\t \n\n\n"})},
		{"what git ignores stays", writes(files{"trace.log": "noise", "build/lib.a": "x"}), puts(files{})},
		{"committed", func(t *testing.T, dir string) {
			files{"c.txt": "c\n"}.write(t, dir)
			gitIn(t, dir, "add", "-A")
			gitIn(t, dir, "commit", "-q", "-m", "In the copy")
			files{"a.txt": "all new\n"}.write(t, dir)
		}, puts(files{"c.txt": "c\n", "a.txt": "all new\n"})},
		{"a file in place of a folder", func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "old")); err != nil {
				t.Fatal(err)
			}
			files{"old": "now a file\n"}.write(t, dir)
		}, func(f files) { delete(f, "old/name.txt"); f["old"] = "now a file\n" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, dir := newManager(t), repositoryWith(t, committed)
			dirty.write(t, dir)
			ignored.write(t, dir)
			before := filesIn(t, dir)
			status := gitIn(t, dir, "status", "--porcelain")
			tree := isolate(t, m, dir)
			carried := maps.Clone(before)
			maps.DeleteFunc(carried, func(name, _ string) bool { return ignored[name] != "" })
			sameFiles(t, tree.Dir(), carried)
			if got := gitIn(t, tree.Dir(), "status", "--porcelain", "-uall"); got != gitIn(t, dir, "status", "--porcelain", "-uall") {
				t.Errorf("the copy's status is\n%s", got)
			}
			test.work(t, tree.Dir())
			d := capture(t, tree)
			closeTree(t, tree)
			sameFiles(t, dir, before)
			if got := gitIn(t, dir, "status", "--porcelain"); got != status {
				t.Errorf("isolation changed the status from\n%sto\n%s", status, got)
			}
			if err := m.Apply(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			test.want(before)
			sameFiles(t, dir, before)
			nothingLeft(t, m, dir)
			gitIn(t, dir, "fsck", "--strict")
		})
	}
}

func writes(f files) func(*testing.T, string) {
	return func(t *testing.T, dir string) { f.write(t, dir) }
}

func puts(f files) func(files) { return func(into files) { maps.Copy(into, f) } }

func drops(name string) func(files) { return func(from files) { delete(from, name) } }

func removes(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func moves(from, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlaces: folders of every kind can be isolated, and get their changes back.
func TestPlaces(t *testing.T) {
	plain := files{"a.txt": "a\n", "sub/b.txt": "b\n"}
	for _, test := range []struct {
		name string
		dir  func(t *testing.T) string
	}{
		{"repository", func(t *testing.T) string { return repositoryWith(t, plain) }},
		{"folder of a repository", func(t *testing.T) string {
			dir := repositoryWith(t, files{"top.txt": "t\n", "in/here/a.txt": "a\n", "in/here/sub/b.txt": "b\n"})
			return filepath.Join(dir, "in/here")
		}},
		{"no repository", func(t *testing.T) string {
			dir := realTemp(t)
			plain.write(t, dir)
			return dir
		}},
		{"repository without a commit", func(t *testing.T) string {
			dir := realTemp(t)
			gitIn(t, dir, "init", "-q")
			plain.write(t, dir)
			return dir
		}},
		{"worktree", func(t *testing.T) string {
			dir := repositoryWith(t, plain)
			gitIn(t, dir, "worktree", "add", "-q", dir+"-second")
			return dir + "-second"
		}},
		{"settings that change diffs", func(t *testing.T) string {
			dir := repositoryWith(t, plain)
			for name, value := range map[string]string{
				"diff.noprefix": "true", "color.ui": "always", "diff.external": "false", "apply.whitespace": "error", "core.fsmonitor": "false", "diff.mnemonicPrefix": "true", "core.quotePath": "true",
			} {
				gitIn(t, dir, "config", name, value)
			}
			return dir
		}},
		{"autocrlf", func(t *testing.T) string {
			dir := repositoryWith(t, plain)
			gitIn(t, dir, "config", "core.autocrlf", "true")
			return dir
		}},
		{"hook that fails", func(t *testing.T) string {
			dir := repositoryWith(t, plain)
			for _, hook := range []string{"post-checkout", "reference-transaction", "post-index-change"} {
				files{hook: "+x #!/bin/sh\ntouch '" + dir + "/hook-ran'\nexit 1\n"}.write(t, filepath.Join(dir, ".git/hooks"))
			}
			return dir
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, dir := newManager(t), test.dir(t)
			tree := isolate(t, m, dir)
			copied := filesIn(t, tree.Dir())
			for name, content := range copied {
				copied[name] = strings.ReplaceAll(content, "\r\n", "\n") // as the settings may want
			}
			if !maps.Equal(copied, plain) {
				t.Errorf("the copy has %v, want %v", copied, plain)
			}
			files{"new.txt": "n\n", "sub/b.txt": "b2 \n"}.write(t, tree.Dir())
			d := capture(t, tree)
			if err := m.Apply(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			got := filesIn(t, dir)
			for name, content := range got {
				got[name] = strings.ReplaceAll(content, "\r\n", "\n")
			}
			if want := (files{"a.txt": "a\n", "new.txt": "n\n", "sub/b.txt": "b2 \n"}); !maps.Equal(got, want) {
				t.Errorf("the folder has %v, want %v", got, want)
			}
			closeTree(t, tree)
			nothingLeft(t, m)
		})
	}
}

// TestNested: submodules and nested repositories are isolated as well.
func TestNested(t *testing.T) {
	m := newManager(t)
	module := repositoryWith(t, files{"lib.c": "int x;\n"})
	dir := repositoryWith(t, files{"main.c": "int main;\n"})
	gitIn(t, dir, "submodule", "--quiet", "add", module, "deps/lib")
	gitIn(t, dir, "commit", "-q", "-m", "With a module")
	files{"inner/i.txt": "i\n"}.write(t, dir)
	gitIn(t, filepath.Join(dir, "inner"), "init", "-q") // without a commit
	files{"deps/lib/lib.c": "int x, user;\n", "deps/lib/untracked.c": "u\n"}.write(t, dir)
	before := filesIn(t, dir)

	tree := isolate(t, m, dir)
	sameFiles(t, tree.Dir(), before)
	files{"deps/lib/lib.c": "int x, user, agent;\n", "inner/j.txt": "j\n", "main.c": "int main2;\n"}.write(t, tree.Dir())
	gitIn(t, filepath.Join(tree.Dir(), "deps/lib"), "commit", "-q", "-a", "-m", "In the module's copy")
	gitIn(t, tree.Dir(), "init", "-q", "made")
	files{"made/of.txt": "new\n"}.write(t, tree.Dir())
	d := capture(t, tree)
	var names []string
	for _, p := range d.Patches {
		names = append(names, p.Repository)
	}
	slices.Sort(names)
	if want := []string{"", "deps/lib", "inner"}; !slices.Equal(names, want) {
		t.Errorf("patches of %q, want %q", names, want)
	}
	if !slices.Equal(d.Left, []string{"made"}) {
		t.Errorf("left %q", d.Left)
	}
	closeTree(t, tree)
	if err := m.Apply(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	maps.Copy(before, files{"deps/lib/lib.c": "int x, user, agent;\n", "inner/j.txt": "j\n", "main.c": "int main2;\n"})
	sameFiles(t, dir, before)
	nothingLeft(t, m, dir, filepath.Join(dir, "deps/lib"), filepath.Join(dir, "inner"))
}

// TestConflict: changes that do not fit change nothing, not even where they would.
func TestConflict(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n", "b.txt": "b\n"})
	first, second := isolate(t, m, dir), isolate(t, m, dir)
	files{"a.txt": "first\n"}.write(t, first.Dir())
	files{"a.txt": "second\n", "b.txt": "second\n", "c.txt": "c\n"}.write(t, second.Dir())
	one, two := capture(t, first), capture(t, second)
	if err := m.Apply(t.Context(), one, two); !errors.Is(err, ErrConflict) {
		t.Errorf("applied together: %v", err)
	}
	sameFiles(t, dir, files{"a.txt": "a\n", "b.txt": "b\n"})
	if err := m.Apply(t.Context(), one); err != nil {
		t.Error(err)
	}
	if err := m.Apply(t.Context(), two); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("applied after the other: %v", err)
	}
	sameFiles(t, dir, files{"a.txt": "first\n", "b.txt": "b\n"})
}

// TestSideBySide: copies of one folder are made, changed and brought back at the same time.
func TestSideBySide(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n"})
	names := []string{"b", "c", "d", "e"}
	errs := make(chan error)
	for _, name := range names {
		go func() {
			tree, err := m.Isolate(context.Background(), dir, name)
			if err != nil {
				errs <- err
				return
			}
			defer tree.Close()
			if err = os.WriteFile(filepath.Join(tree.Dir(), name), []byte(name), 0o644); err == nil {
				var d Delta
				if d, err = tree.Capture(context.Background()); err == nil {
					err = m.Apply(context.Background(), d)
				}
			}
			errs <- errors.Join(err, tree.Close())
		}()
	}
	for range names {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	sameFiles(t, dir, files{"a.txt": "a\n", "b": "b", "c": "c", "d": "d", "e": "e"})
	nothingLeft(t, m, dir)
}

// TestMadeTwice: a file that two of them make, or one in place of the other's folder, is a
// conflict: no change is dropped in silence.
func TestMadeTwice(t *testing.T) {
	for name, pair := range map[string][2]files{
		"the same":          {{"new.txt": "n\n"}, {"new.txt": "n\n"}},
		"another":           {{"ü x/new.txt": "1\n"}, {"ü x/new.txt": "2\n"}},
		"a folder":          {{"new": "1\n"}, {"new/in/it.txt": "2\n"}},
		"a folder, first":   {{"new/in/it.txt": "2\n"}, {"new/in": "1\n"}},
		"a file that moved": {{"b.txt": "a\na\na\n", "a.txt": ""}, {"b.txt": "2\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\na\na\n"})
			var deltas []Delta
			for _, f := range pair {
				tree := isolate(t, m, dir)
				f.write(t, tree.Dir())
				if text, there := f["a.txt"]; there && text == "" {
					if err := os.Remove(filepath.Join(tree.Dir(), "a.txt")); err != nil {
						t.Fatal(err)
					}
				}
				deltas = append(deltas, capture(t, tree))
				closeTree(t, tree)
			}
			if err := m.Apply(t.Context(), deltas...); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "several of them make ") {
				t.Errorf("applied together: %v", err)
			}
			sameFiles(t, dir, files{"a.txt": "a\na\na\n"})
			if err := m.Apply(t.Context(), deltas[0]); err != nil {
				t.Errorf("applied alone: %v", err)
			}
		})
	}
}

// TestBranch: a branch holds the changes made in the copy and not those of the user.
func TestBranch(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n", "b.txt": "b\n"})
	files{"b.txt": "user\n", "u.txt": "u\n"}.write(t, dir)
	before := filesIn(t, dir)
	tree := isolate(t, m, dir)
	files{"a.txt": "agent\n", "n.txt": "n\n"}.write(t, tree.Dir())
	d := capture(t, tree)
	for _, want := range []string{"task/0-Add", "task/0-Add-2"} {
		name, err := m.Branch(t.Context(), d, "task/0-Add", "Add a file")
		if err != nil || name != want {
			t.Fatalf("branch %q, %v; want %q", name, err, want)
		}
	}
	if got := gitIn(t, dir, "diff", "--name-status", "main", "task/0-Add"); got != "M\ta.txt\nA\tn.txt\n" {
		t.Errorf("the branch changes\n%s", got)
	}
	if got := gitIn(t, dir, "log", "-1", "--format=%s", "task/0-Add"); got != "Add a file\n" {
		t.Errorf("the commit says %q", got)
	}
	files{"b.txt": "agent on top of the user\n"}.write(t, tree.Dir())
	if _, err := m.Branch(t.Context(), capture(t, tree), "task/1", "x"); !errors.Is(err, ErrConflict) {
		t.Errorf("a branch of changes of what is not committed: %v", err)
	}
	sameFiles(t, dir, before)

	bare := realTemp(t)
	files{"a": "a"}.write(t, bare)
	outside := isolate(t, m, bare)
	files{"a": "b"}.write(t, outside.Dir())
	if _, err := m.Branch(t.Context(), capture(t, outside), "x", "x"); !errors.Is(err, ErrNoRepository) {
		t.Errorf("a branch without a repository: %v", err)
	}
}

// TestRefused: a folder that cannot be isolated is an error, and leaves no files.
func TestRefused(t *testing.T) {
	m := newManager(t)
	dir := repositoryWith(t, files{"a.txt": "a\n"})
	files{"broken/.git/HEAD": "x"}.write(t, dir)
	gitIn(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(gitIn(t, dir, "rev-parse", "HEAD"))+",broken")
	if tree, err := m.Isolate(t.Context(), dir, "x"); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("isolated %v, %v", tree, err)
	}
	nothingLeft(t, m, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if tree, err := m.Isolate(ctx, dir, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("isolated %v, %v", tree, err)
	}
	nothingLeft(t, m, dir)
}

// TestHostileGitFolder: a subagent that works in a copy cannot make git run programs by pointing the
// copy to a configuration of its own.
func TestHostileGitFolder(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n"})
	tree := isolate(t, m, dir)
	own, mark := filepath.Join(realTemp(t), "own"), filepath.Join(t.TempDir(), "ran")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, own, "init", "-q")
	gitIn(t, own, "config", "filter.evil.clean", "touch "+mark+"; cat")
	files{".git": "gitdir: " + own + "/.git\n", ".gitattributes": "* filter=evil\n", "a.txt": "b\n"}.write(t, tree.Dir())
	if d := capture(t, tree); !strings.Contains(string(d.Outer()), "+b") {
		t.Errorf("the changes are %s", d.Outer())
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the copy's ran")
	}
	closeTree(t, tree)
	nothingLeft(t, m, dir)
}

// TestPrograms: programs that a repository itself names run only where it is trusted, however
// deep it lies; nothing is begun otherwise.
func TestPrograms(t *testing.T) {
	for _, test := range []struct{ name, inner, setting, value string }{
		{"filter", "", "filter.evil.clean", "touch %s; cat"},
		{"process", "", "filter.evil.process", "touch %s"},
		{"filter of a nested repository", "inner", "filter.evil.clean", "touch %s; cat"},
		{"filter of a submodule", "module", "filter.evil.clean", "touch %s; cat"},
		{"filter of a submodule in one", "module/deeper", "filter.evil.clean", "touch %s; cat"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n"})
			for path := dir; test.inner != "" && path != filepath.Join(dir, test.inner); {
				rest, _ := filepath.Rel(path, filepath.Join(dir, test.inner))
				name, _, _ := strings.Cut(rest, "/")
				inner := filepath.Join(path, name)
				files{"b.txt": "b\n"}.write(t, inner)
				gitIn(t, inner, "init", "-q")
				gitIn(t, inner, "add", "-A")
				gitIn(t, inner, "commit", "-q", "-m", "Inner")
				if name != "inner" {
					gitIn(t, path, "add", name)
					gitIn(t, path, "commit", "-q", "-m", "Track it")
				}
				path = inner
			}
			evil, mark := filepath.Join(dir, test.inner), filepath.Join(t.TempDir(), "ran")
			gitIn(t, evil, "config", test.setting, fmt.Sprintf(test.value, mark))
			files{".gitattributes": "* filter=evil\n", "b.txt": "changed\n"}.write(t, evil)
			if _, err := m.Isolate(t.Context(), dir, "x"); err == nil || !strings.Contains(err.Error(), test.setting) {
				t.Error(err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("the repository's program ran")
			}
			if test.inner != "" { // else nothing was begun
				nothingLeft(t, m)
			}
			m.trusts = func(string) bool { return true }
			tree, _ := m.Isolate(t.Context(), dir, "x") // a process that is no filter fails
			if _, err := os.Stat(mark); err == nil && m.spawner.Confinement().Available {
				t.Error("a trusted program was not confined")
			}
			if tree != nil {
				closeTree(t, tree)
			}
			plain := exec.Command("git", "add", "--all")
			plain.Dir = evil
			_ = plain.Run() // a process that is no filter fails
			if _, err := os.Stat(mark); err != nil {
				t.Errorf("git runs nothing here, so that it did not proves nothing: %v", err)
			}
		})
	}
}
