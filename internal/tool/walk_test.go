package tool

import (
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/tool/workspacetest"
)

// TestWalkReportsWhatItCannotRead: unreadable files and folders are reported, and do not end a search.
func TestWalkReportsWhatItCannotRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	w := workspacetest.New(t, map[string]string{"a/f": "needle\n", "locked/f": "needle\n", "secret": "needle\n"})
	for name, mode := range map[string]os.FileMode{"locked": 0, "secret": 0} {
		path := filepath.Join(w.Dir(), name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o700) })
	}
	got := runTool(t, w, Glob(), in{"pattern": "**"})
	if want := "a/f\nsecret\n[1 folder could not be read]\n"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	got = runTool(t, w, Grep(), in{"pattern": "needle"})
	if want := "a/f\n[1 file could not be searched]\n[1 folder could not be read]\n"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	for path, want := range map[string]string{
		"secret":   "cannot read secret: permission denied",
		"locked/f": "locked/f cannot be used: lstat " + w.Dir() + "/locked/f: permission denied",
	} {
		if got := runTool(t, w, Read(), in{"path": path}); !got.IsError || got.Text != want {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

// The folder that homes lie in need not be readable to reach one's own.
func TestHomeBelowUnreadableFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	homes := workspacetest.TempDir(t)
	workspacetest.Lay(t, homes, map[string]string{"me/note": "hello\n"})
	t.Setenv("HOME", filepath.Join(homes, "me"))
	if err := os.Chmod(homes, 0o311); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(homes, 0o700) })
	w := workspacetest.New(t, nil)
	if got := runTool(t, w, Read(), in{"path": "~/note", "line_numbers": false}); got.Text != "hello\n" {
		t.Errorf("got %+v", got)
	}
}
