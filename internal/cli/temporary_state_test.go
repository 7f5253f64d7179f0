package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestTemporaryFolder: it is below the state folder, only the user's, and removed; one of a killed process is removed by the next.
func TestTemporaryFolder(t *testing.T) {
	state := filepath.Join(workspacetest.TempDir(t), "state")
	left := filepath.Join(state, "tmp", "parley-own-killed")
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.MkdirAll(filepath.Join(left, "state-1"), 0o700), os.Chtimes(left, old, old)); err != nil {
		t.Fatal(err)
	}
	folder, remove, err := TemporaryFolder(config.Config{Settings: config.Settings{Home: state}})
	if err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(filepath.Join(state, "tmp"), folder); err != nil || !filepath.IsLocal(rel) {
		t.Errorf("it is at %s", folder)
	}
	for dir := folder; dir != state; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of a killed process: %v", err)
	}
	remove()
	if entries, err := os.ReadDir(filepath.Join(state, "tmp")); err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}
