package tool

import (
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/tempdir"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestSavedOutputs: an output is not written through a link or to a file that is there, and tools may read it in a protected folder.
func TestSavedOutputs(t *testing.T) {
	state := workspacetest.TempDir(t)
	temp := tempdir.New(filepath.Join(state, "tmp", "parley-test"))
	defer temp.Close()
	o := NewOutputs(temp)
	first, err := o.Save([]byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(workspacetest.TempDir(t), state)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.AllowReads(o.Folder())
	for _, row := range []struct {
		path           string
		write, outside bool
	}{{first, false, false}, {first, true, true}, {filepath.Join(state, "other"), false, true}} {
		if p, err := w.Resolve(row.path, row.write); err != nil || p.Outside != row.outside || p.Protected != row.outside {
			t.Errorf("%+v: %+v, %v", row, p, err)
		}
	}
	victim := filepath.Join(state, "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(o.Folder(), "output-2.txt")); err != nil {
		t.Skip(err)
	}
	if path, err := o.Save([]byte("two")); err == nil {
		t.Errorf("%s is written through a link", path)
	}
	if text, _ := os.ReadFile(victim); string(text) != "kept" {
		t.Errorf("the target of the link is %q", text)
	}
	if path, err := o.Save([]byte("three")); err != nil || filepath.Base(path) != "output-3.txt" {
		t.Errorf("%s, %v", path, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}
