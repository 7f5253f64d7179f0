package app

import (
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestCopiesAreProtected: the folders of copies beside the state folder are protected, but for a session that works in a copy.
func TestCopiesAreProtected(t *testing.T) {
	home := workspacetest.TempDir(t)
	state := filepath.Join(home, "state")
	a := &App{Settings: config.Config{Settings: config.Settings{Home: state}}, getenv: func(string) string { return "" }}
	for _, row := range []struct {
		dir          string
		trees, batch bool
	}{{home, true, true}, {state + ".trees/a/tree", false, true}, {state + ".batch/tasks/b/1.1/tree", true, false}, {state + ".treesother", true, true}} {
		paths := a.private(row.dir)
		if got := slices.Contains(paths, state+".trees"); got != row.trees {
			t.Errorf("in %s .trees is protected: %v", row.dir, got)
		}
		if got := slices.Contains(paths, state+".batch"); got != row.batch {
			t.Errorf("in %s .batch is protected: %v", row.dir, got)
		}
	}
}
