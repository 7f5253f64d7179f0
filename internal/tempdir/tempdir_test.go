package tempdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestFolder: folders of a process are made when they are needed and removed with it; those of killed processes are removed, those of
// other ones stay.
func TestFolder(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "state", "tmp")
	f, other := New(filepath.Join(parent, "parley-own")), New(filepath.Join(parent, "parley-other"))
	name := f.Name("outputs")
	if _, err := os.Lstat(parent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a name makes a folder: %v", err)
	}
	if _, err := other.MakeNew("x"); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	left := filepath.Join(parent, "parley-left")
	err := errors.Join(
		os.MkdirAll(filepath.Join(left, "deep"), 0o700), os.WriteFile(filepath.Join(left, "deep", "file"), nil, 0o600),
		os.Chtimes(left, old, old), os.Chtimes(filepath.Join(parent, "parley-other"), old, old),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Make(name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if second, err := f.MakeNew("outputs"); err != nil || second == name {
		t.Errorf("%s, %v", second, err)
	}
	wantNames(t, parent, "parley-other", "parley-own")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wantNames(t, parent, "parley-other")
	if _, err := f.MakeNew("x"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	wantNames(t, parent)
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%q, %v; want %q", got, err, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
