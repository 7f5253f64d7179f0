package tool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// A patch was shown to a user before one of its folders was swapped for a symlink: it
// must fail, and change nothing, wherever the symlink leads.
func TestPatchSwappedFolder(t *testing.T) {
	for name, lines := range map[string][]string{
		"add":     {"*** Add File: dir/new", "+overwritten"},
		"delete":  {"*** Delete File: dir/file"},
		"update":  {"*** Update File: dir/file", "@@", "-public", "+overwritten"},
		"move":    {"*** Update File: other", "*** Move to: dir/new"},
		"move it": {"*** Update File: dir/file", "*** Move to: new"},
	} {
		outside := workspacetest.TempDir(t)
		workspacetest.Lay(t, outside, map[string]string{"file": "public\n"})
		w := workspacetest.New(t, map[string]string{"dir/file": "public\n", "other": "x\n", "first": "1\n"})
		call, err := prepareTool(t, w, Patch(), patchOf(append([]string{"*** Update File: first", "@@", "-1", "+2"}, lines...)...))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(w.Dir(), "dir")
		if err := errors.Join(os.RemoveAll(dir), os.Symlink(outside, dir)); err != nil {
			t.Fatal(err)
		}
		if got := call.Run(t.Context(), Hooks{}); !got.IsError || len(got.Changes) > 0 || !strings.Contains(got.Text, workspace.ErrSwapped.Error()) {
			t.Errorf("%s: %+v", name, got)
		}
		entries, err := os.ReadDir(outside)
		if err != nil || len(entries) != 1 || fileText(t, outside+"/file") != "public\n" || fileText(t, w.Dir()+"/first") != "1\n" || fileText(t, w.Dir()+"/other") != "x\n" {
			t.Errorf("%s: something was changed: %v %v", name, entries, err)
		}
	}
}

func TestWorkspaceRemove(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"dir/file": "x", "target": "x", "locked": "x", "empty/": ""})
	if err := os.Chmod(w.Dir()+"/locked", 0o444); err != nil {
		t.Fatal(err)
	}
	remove := func(shown string, swap func(path string)) error {
		t.Helper()
		p, err := w.Resolve(shown, true)
		if err != nil {
			t.Fatal(err)
		}
		swap(p.Path)
		return w.Remove(p)
	}
	keep := func(string) {}
	link := func(path string) {
		if err := errors.Join(os.RemoveAll(path), os.Symlink(w.Dir()+"/target", path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		shown string
		swap  func(string)
		want  error
	}{
		{"dir/file", keep, nil},
		{"dir/file", keep, fs.ErrNotExist},
		{"nowhere/file", keep, fs.ErrNotExist},
		{"empty", keep, workspace.ErrNotFile},
		{"locked", keep, workspace.ErrReadOnly},
		{"swapped", link, workspace.ErrSwapped},
		{"swapped", keep, nil}, // the link is resolved now: it is the target that goes
	} {
		if err := remove(test.shown, test.swap); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.shown, err, test.want)
		}
	}
	for path, there := range map[string]bool{"dir": true, "dir/file": false, "target": false, "swapped": true, "locked": true, "empty": true} {
		if _, err := os.Lstat(w.Dir() + "/" + path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
}
