// Package workspacetest makes workspaces for tests.
package workspacetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/tool/workspace"
)

// New returns a new workspace with these files; a name that ends in "/" is a folder,
// a content that begins with "-> " a symlink.
func New(t testing.TB, files map[string]string, protected ...string) *workspace.Workspace {
	t.Helper()
	dir := TempDir(t)
	for i, path := range protected {
		protected[i] = filepath.Join(dir, path)
	}
	Lay(t, dir, files)
	w, err := workspace.Open(dir, protected...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TempDir returns a new folder without symlinks in its path.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Lay writes files into a folder, as New does.
func Lay(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		target, isLink := strings.CutPrefix(content, "-> ")
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o777)
		case isLink:
			err = os.Symlink(target, path)
		default:
			err = os.WriteFile(path, []byte(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
