package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRelease(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "in"), []byte("first"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	at, err := w.Resolve("in", false)
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		f, err := w.Open(at)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	for range 2 {
		if err := w.Release(); err != nil {
			t.Fatal(err)
		}
		if w.root != nil || w.homeRoot != nil {
			t.Fatal("a folder is held open after Release")
		}
		if err := read(); err != nil {
			t.Fatalf("after Release: %v", err)
		}
	}
	if err := errors.Join(w.Release(), os.Rename(w.dir, w.dir+".moved"), os.Symlink(w.dir+".moved", w.dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Reopen(); !errors.Is(err, ErrSwapped) {
		t.Errorf("Reopen through a symlink: %v", err)
	}
	if err := errors.Join(os.Remove(w.dir), os.Rename(w.dir+".moved", w.dir), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := read(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed workspace is read: %v", err)
	}
}
