package worktree

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/sandbox"
)

// testEnviron returns an environment in which git has no settings of anybody's.
func testEnviron(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home}
}

func newManager(t *testing.T) *Manager {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	return New(Options{Root: filepath.Join(realTemp(t), "copies"), Spawner: spawner, Environ: testEnviron(t.TempDir())})
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// gitIn runs git as a user would.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir, cmd.Env = dir, testEnviron(dir+"-home")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// files are contents by path. A content that begins with "-> " is a symlink's; with "+x ",
// of a file that can be run. "" at the end of a path is no folder.
type files map[string]string

func (f files) write(t *testing.T, dir string) {
	t.Helper()
	for name, content := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content, run := strings.CutPrefix(content, "+x ")
		mode := os.FileMode(0o644)
		if run {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// filesIn returns what is below dir, but for what is git's.
func filesIn(t *testing.T, dir string) files {
	t.Helper()
	found := files{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == ".git" {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		info, _ := entry.Info()
		if info.Mode()&0o100 != 0 {
			found[name] = "+x " + string(data)
		} else {
			found[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sameFiles(t *testing.T, dir string, want files) {
	t.Helper()
	if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
		t.Errorf("files of %s (-want +got):\n%s", dir, diff)
	}
}

// repositoryWith returns a repository with one commit of these files.
func repositoryWith(t *testing.T, f files) string {
	t.Helper()
	dir := filepath.Join(realTemp(t), "main")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "init", "-q")
	f.write(t, dir)
	gitIn(t, dir, "add", "-A", "-f")
	gitIn(t, dir, "commit", "-q", "-m", "First")
	return dir
}

func isolate(t *testing.T, m *Manager, dir string) *Tree {
	t.Helper()
	tree, err := m.Isolate(t.Context(), dir, "0-Add file")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeTree(t, tree) })
	return tree
}

func closeTree(t *testing.T, tree *Tree) {
	t.Helper()
	if err := tree.Close(); err != nil {
		t.Error(err)
	}
}

func capture(t *testing.T, tree *Tree) Delta {
	t.Helper()
	d, err := tree.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// nothingLeft checks that neither the Manager nor the repository has anything of a copy.
func nothingLeft(t *testing.T, m *Manager, repositories ...string) {
	t.Helper()
	entries, err := os.ReadDir(m.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != rootLock {
			t.Errorf("%s is left in %s", entry.Name(), m.root)
		}
	}
	for _, dir := range repositories {
		if list := gitIn(t, dir, "worktree", "list", "--porcelain"); strings.Count(list, "worktree ") != 1 {
			t.Errorf("git still knows of worktrees:\n%s", list)
		}
	}
}
