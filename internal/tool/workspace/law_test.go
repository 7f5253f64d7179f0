package workspace_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// Over random trees full of symlinks: Resolve agrees with the kernel on where an existing
// path lies, Outside reports whether that is below the workspace, and what opens without
// Outside is a file of the workspace.
func TestResolveLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top, err := os.MkdirTemp("", "law")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(top)
		if top, err = filepath.EvalSymlinks(top); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(top, "ws")
		growTree(t, top)
		w, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for range 20 {
			checkResolve(t, w, drawPath(t, dir))
		}
	})
}

var treeNames = []string{"a", "b", "c", "ws", "x"}

// growTree makes folders, files and symlinks below top, half of them in top/ws. A file
// holds its own path.
func growTree(t *rapid.T, top string) {
	for _, dir := range []string{"ws/a", "ws/b", "a", "b"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	folder := rapid.SampledFrom([]string{"", "a", "b", "ws", "ws/a", "ws/b"})
	for range rapid.IntRange(1, 15).Draw(t, "entries") {
		path := filepath.Join(top, folder.Draw(t, "in"), rapid.SampledFrom(treeNames).Draw(t, "name"))
		var err error
		if rapid.Bool().Draw(t, "link") {
			err = os.Symlink(drawPath(t, top), path)
		} else {
			err = writeNew(path)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}

func writeNew(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(path)
	return err
}

// drawPath returns a relative path, or one below dir.
func drawPath(t *rapid.T, dir string) string {
	part := rapid.SampledFrom(append([]string{".", "..", ".."}, treeNames...))
	path := strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "path"), "/")
	if rapid.Bool().Draw(t, "absolute") {
		return dir + "/" + path
	}
	return path
}

func checkResolve(t *rapid.T, w *workspace.Workspace, shown string) {
	full := shown
	if !filepath.IsAbs(full) {
		full = w.Dir() + "/" + full // not cleaned: ".." counts after links
	}
	p, err := w.Resolve(shown, false)
	if err != nil {
		if info, statErr := os.Stat(full); statErr == nil {
			t.Fatalf("%s: %v, but it exists: %v", shown, err, info.Mode())
		}
		return
	}
	if inside := p.Path == w.Dir() || strings.HasPrefix(p.Path, w.Dir()+"/"); p.Outside == inside {
		t.Fatalf("%s: %+v", shown, p)
	}
	kernel, err := os.Stat(full)
	if err == nil {
		ours, err := os.Lstat(p.Path)
		if err != nil || !os.SameFile(kernel, ours) {
			t.Fatalf("%s is not %s (%v)", shown, p.Path, err)
		}
	}
	if text, ok := readResolved(w, p.Path, p.Outside); ok && text != p.Path {
		t.Fatalf("%s: opened %s instead of %s", shown, text, p.Path)
	}
}

// readResolved opens a path again that was resolved and is not outside.
func readResolved(w *workspace.Workspace, path string, outside bool) (string, bool) {
	p, err := w.Resolve(path, false)
	if err != nil || outside {
		return "", false
	}
	file, err := w.Open(p)
	if err != nil {
		return "", false
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	return string(data), err == nil
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"a", "../x", "in/../../out/f", "/", "~/x", "out/./f", "a\nb", "//a", "loop/x"} {
		f.Add(seed)
	}
	outside := workspacetest.TempDir(f)
	workspacetest.Lay(f, outside, map[string]string{"f": "secret"})
	w := workspacetest.New(f, map[string]string{
		"a/f": "f", "in": "-> a", "out": "-> " + outside, "loop": "-> loop", "deep": "-> in/../out",
	})
	f.Fuzz(func(t *testing.T, shown string) {
		p, err := w.Resolve(shown, false)
		if err != nil {
			return
		}
		if !filepath.IsAbs(p.Path) || filepath.Clean(p.Path) != p.Path {
			t.Fatalf("%q: %q is not a clean absolute path", shown, p.Path)
		}
		if text, ok := readResolved(w, p.Path, p.Outside); ok && text == "secret" {
			t.Fatalf("%q: read the secret without Outside", shown)
		}
	})
}
