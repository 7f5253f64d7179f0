package snapshot

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A project is a folder in which a test works.
type project struct {
	t       *testing.T
	dir     string
	environ []string
	taker   *Taker
}

// newProject returns an empty repository.
func newProject(t *testing.T) *project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	spawner := sandbox.NewSpawner(sandbox.Options{})
	p := &project{t: t, dir: dir, environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, taker: NewTaker(spawner, nil)}
	t.Cleanup(func() {
		if err := p.taker.Close(); err != nil {
			t.Error(err)
		}
		spawner.Close()
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "parley-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	p.git("init", "-q", "-b", "main")
	return p
}

// git runs git as the user would.
func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ana", "-c", "user.email=ana@example.com"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, p.environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) take(dir string) Snapshot {
	p.t.Helper()
	s, err := p.taker.Take(p.t.Context(), filepath.Join(p.dir, dir), p.environ)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// changes returns the changes that do makes below dir, a line each, and whether they are all.
func (p *project) changes(dir string, do func()) (lines []string, whole bool) {
	p.t.Helper()
	before := p.take(dir)
	do()
	changes, whole, err := p.taker.Changes(p.t.Context(), before, p.take(dir), p.environ)
	if err != nil {
		p.t.Fatal(err)
	}
	show := func(f File) string {
		if !f.Exists {
			return "-"
		}
		return fmt.Sprintf("%o:%q", f.Mode, f.Data)
	}
	for _, c := range changes {
		rel, err := filepath.Rel(p.dir, c.Path)
		if err != nil {
			p.t.Fatal(err)
		}
		lines = append(lines, rel+" "+show(c.Before)+" "+show(c.After))
	}
	return lines, whole
}

// TestChanges: the change of each file has its exact contents, also where the repository would have git convert
// them, or run a program on them.
func TestChanges(t *testing.T) {
	p := newProject(t)
	p.write(".gitattributes", "* text=auto eol=crlf\n*.dat filter=trap\n*.id ident\n")
	p.write(".gitignore", "*.log\n")
	p.git("config", "filter.trap.clean", "touch "+filepath.Join(p.dir, "trapped")+"; cat")
	p.git("config", "filter.trap.smudge", "cat")
	p.write("edited", "a\r\nb\n")
	p.write("committed", "same\n")
	p.write("deep/deleted", "gone\n")
	p.write("x.dat", "data\n")
	p.write("x.id", "$Id$\n")
	p.write("run", "#!/bin/sh\n")
	p.write("noise.log", "1\n")
	p.git("add", "committed", "edited", "run")
	p.git("commit", "-q", "-m", "one")
	_ = os.Remove(filepath.Join(p.dir, "trapped")) // git add of the user ran it
	index := read(t, filepath.Join(p.dir, ".git/index"))
	objects := p.git("count-objects")

	lines, whole := p.changes(".", func() {
		p.write("edited", "a\r\nc\n")
		p.write("new file", "x\x00y")
		p.write("x.dat", "more\n")
		p.write("x.id", "$Id: 1 $\n")
		p.write("noise.log", "2\n")
		if err := errors.Join(os.Remove(filepath.Join(p.dir, "deep/deleted")), os.Chmod(filepath.Join(p.dir, "run"), 0o755)); err != nil {
			t.Fatal(err)
		}
	})
	want := []string{
		`deep/deleted 644:"gone\n" -`, `edited 644:"a\r\nb\n" 644:"a\r\nc\n"`, `new file - 644:"x\x00y"`,
		`run 644:"#!/bin/sh\n" 755:"#!/bin/sh\n"`, `x.dat 644:"data\n" 644:"more\n"`, `x.id 644:"$Id$\n" 644:"$Id: 1 $\n"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" || !whole {
		t.Errorf("whole %v, (-want +got):\n%s", whole, diff)
	}
	if _, err := os.Lstat(filepath.Join(p.dir, "trapped")); err == nil {
		t.Error("the filter of the repository ran")
	}
	if read(t, filepath.Join(p.dir, ".git/index")) != index || p.git("count-objects") != objects {
		t.Error("the user's index or objects have changed")
	}
	if lines, whole := p.changes(".", func() {}); len(lines) > 0 || !whole {
		t.Errorf("nothing changed, and it reports %q, %v", lines, whole)
	}
}

// TestProgramsOfOthers: what a nested repository configures does not run, also where git cannot be confined, and neither does, where it can,
// what is in the git folder itself.
func TestProgramsOfOthers(t *testing.T) {
	for _, choice := range []sandbox.Choice{sandbox.Off, sandbox.Auto} {
		t.Run(string(choice), func(t *testing.T) {
			p := newProject(t)
			p.taker.spawner = sandbox.NewSpawner(sandbox.Options{Sandbox: choice})
			t.Cleanup(p.taker.spawner.Close)
			ran := filepath.Join(t.TempDir(), "ran")
			p.write("a", "1")
			p.write("nested/x", "1")
			for _, args := range [][]string{{"init", "-q"}, {"add", "x"}, {"commit", "-q", "-m", "x"}, {"config", "filter.e.clean", "touch " + ran + "; cat"}} {
				p.git(append([]string{"-C", "nested"}, args...)...)
			}
			p.write("nested/.gitattributes", "* filter=e\n")
			p.git("add", "nested") // it is in the user's index
			for n := range 3 {
				p.write("nested/x", fmt.Sprint(2+n)) // as long as before: git has to compare
				old := time.Now().Add(-time.Hour + time.Duration(n)*time.Minute)
				if err := os.Chtimes(filepath.Join(p.dir, "nested/x"), old, old); err != nil {
					t.Fatal(err)
				}
				p.take(".")
			}
			if _, err := os.Lstat(ran); err == nil {
				t.Error("the filter of the nested repository ran")
			}
			if choice == sandbox.Off || !p.taker.spawner.Confinement().Available {
				return
			}
			for _, repo := range p.taker.repos {
				config := config + "[filter \"e\"]\n\tclean = touch " + ran + "; cat\n"
				err := errors.Join(os.WriteFile(filepath.Join(repo.folder, "config"), []byte(config), 0o600),
					os.WriteFile(filepath.Join(repo.folder, "info/attributes"), []byte("* filter=e\n"), 0o600))
				if err != nil {
					t.Fatal(err)
				}
			}
			p.write("a", "2")
			p.take(".")
			if _, err := os.Lstat(ran); err == nil {
				t.Error("git is not confined")
			}
		})
	}
}

// FuzzGitlinks: whatever an index has, reading it ends.
func FuzzGitlinks(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(_ *testing.T, index []byte) { _, _ = gitlinks(index) })
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestBelow: in a folder of a repository, only that counts.
func TestBelow(t *testing.T) {
	p := newProject(t)
	p.write("a/b/in", "1")
	p.write("out", "1")
	lines, whole := p.changes("a/b", func() {
		p.write("a/b/in", "2")
		p.write("out", "2")
	})
	if diff := cmp.Diff([]string{`a/b/in 644:"1" 644:"2"`}, lines); diff != "" || !whole {
		t.Errorf("whole %v, (-want +got):\n%s", whole, diff)
	}
}

// TestNotWhole: a link and a nested repository that change are not among the changes, which are reported not to be whole.
func TestNotWhole(t *testing.T) {
	for name, change := range map[string]func(p *project) error{
		"link": func(p *project) error { return os.Symlink("a", filepath.Join(p.dir, "link")) },
		"nested repository": func(p *project) error {
			p.write("nested/x", "1")
			p.git("-C", "nested", "init", "-q")
			p.git("-C", "nested", "add", "x")
			p.git("-C", "nested", "commit", "-q", "-m", "x")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			lines, whole := p.changes(".", func() {
				if err := change(p); err != nil {
					t.Fatal(err)
				}
				p.write("a", "1")
			})
			if diff := cmp.Diff([]string{`a - 644:"1"`}, lines); diff != "" || whole {
				t.Errorf("whole %v, (-want +got):\n%s", whole, diff)
			}
		})
	}
}

// TestLinkedTree: a linked work tree has the objects of its repository.
func TestLinkedTree(t *testing.T) {
	p := newProject(t)
	p.write("a", "1")
	p.git("add", "a")
	p.git("commit", "-q", "-m", "one")
	tree := filepath.Join(t.TempDir(), "tree")
	p.git("worktree", "add", "-q", tree)
	real, err := filepath.EvalSymlinks(tree)
	if err != nil {
		t.Fatal(err)
	}
	if top, common := find(real); top != real || common != filepath.Join(p.dir, ".git") {
		t.Errorf("find: %s, %s", top, common)
	}
	p.dir = real
	if lines, whole := p.changes(".", func() { p.write("a", "2") }); !slices.Equal(lines, []string{`a 644:"1" 644:"2"`}) || !whole {
		t.Errorf("%q, %v", lines, whole)
	}
}

// TestNone: there are no snapshots outside of a repository, of a nil Taker, and after Close.
func TestNone(t *testing.T) {
	p := newProject(t)
	if _, err := p.taker.Take(t.Context(), t.TempDir(), p.environ); !errors.Is(err, ErrNone) {
		t.Errorf("no repository: %v", err)
	}
	if _, err := (*Taker)(nil).Take(t.Context(), p.dir, p.environ); !errors.Is(err, ErrNone) {
		t.Errorf("a nil Taker: %v", err)
	}
	p.take(".")
	if err := p.taker.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.taker.Take(t.Context(), p.dir, p.environ); !errors.Is(err, ErrNone) {
		t.Errorf("after Close: %v", err)
	}
}

// TestTooMuch: more files than are worth storing are an error.
func TestTooMuch(t *testing.T) {
	p := newProject(t)
	before := p.take(".")
	for n := range maxChanges + 1 {
		p.write(fmt.Sprint("f", n), "")
	}
	if _, _, err := p.taker.Changes(t.Context(), before, p.take("."), p.environ); !errors.Is(err, errTooMuch) {
		t.Errorf("%v", err)
	}
}

// BenchmarkTake is a snapshot of 2,000 files of which none has changed: what a command costs twice.
func BenchmarkTake(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("TMPDIR", b.TempDir())
	spawner := sandbox.NewSpawner(sandbox.Options{})
	defer spawner.Close()
	taker := NewTaker(spawner, nil)
	defer func() { _ = taker.Close() }()
	environ := os.Environ()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		b.Skipf("%v: %s", err, out)
	}
	for n := range 2000 {
		path := filepath.Join(dir, fmt.Sprint("d", n/50), fmt.Sprint("f", n))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(strings.Repeat("x", n)), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := taker.Take(b.Context(), dir, environ); err != nil {
			b.Fatal(err)
		}
	}
}
