package companion

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind: a program is beside parley, beside what parley is a link to, or in a folder of PATH that commands cannot write, in this order.
func TestFind(t *testing.T) {
	root, err := os.MkdirTemp("/var/tmp", "parley-companion-") // outside of what is passed over
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	put := func(path string, mode os.FileMode) string {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	real, link := put("real/parley", 0o700), filepath.Join(root, "link", "parley")
	if err := os.Mkdir(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "path"))
	put("link/parley-console", 0o600) // it cannot be run
	if path, err := Find(Console, link); !errors.Is(err, ErrMissing) {
		t.Errorf("nowhere: %s, %v", path, err)
	}
	passed := filepath.Join(t.TempDir(), "parley-console")
	if err := os.WriteFile(passed, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(passed)+":"+filepath.Join(root, "path"))
	if path, err := Find(Console, link); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), passed+" is passed over") {
		t.Errorf("where commands may write: %s, %v", path, err)
	}
	for _, place := range []string{"path", "real"} {
		want := put(place+"/parley-console", 0o700)
		if path, err := Find(Console, link); err != nil || path != want {
			t.Errorf("%s: %s, %v", place, path, err)
		}
	}
	released := put("released/parley-1.2.3-linux-amd64", 0o700)
	want := put("released/parley-console-1.2.3-linux-amd64", 0o700)
	if path, err := Find(Console, released); err != nil || path != want {
		t.Errorf("beside a release: %s, %v", path, err)
	}
	beside := filepath.Join(root, "link", "parley-console")
	if err := os.Chmod(beside, 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := Find(Console, link); err != nil || path != beside {
		t.Errorf("beside: %s, %v", path, err)
	}
}
