package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tool/workspace"
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

// TestKeyFiles: files with keys that the command line names are protected.
func TestKeyFiles(t *testing.T) {
	home := workspacetest.TempDir(t)
	key := filepath.Join(home, "tls", "key.pem")
	a := &App{Settings: config.Config{Settings: config.Settings{Home: filepath.Join(home, "state")}, KeyFiles: []string{key}}, getenv: func(string) string { return "" }}
	if paths := a.private(home); !slices.Contains(paths, key) {
		t.Errorf("protected are %q", paths)
	}
}

// TestCredentialFiles: files in which agents store keys are protected before they exist, and taken to be files.
func TestCredentialFiles(t *testing.T) {
	home := workspacetest.TempDir(t)
	t.Setenv("HOME", home)
	a := &App{credentials: []string{".codex/auth.json", ".claude/.credentials.json", ".folder", ".none"}}
	if err := os.Mkdir(filepath.Join(home, ".folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(home, ".codex/auth.json"), filepath.Join(home, ".claude/.credentials.json")}
	if got := a.credentialFiles(); !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
	if got, want := a.credentialPaths(false), []string{filepath.Join(home, ".folder")}; !slices.Equal(got, want) {
		t.Errorf("folders %q", got)
	}
	w, err := workspace.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.ProtectFiles(want...); err != nil {
		t.Fatal(err)
	}
	if files, _ := w.Protected(); !slices.Contains(files, want[0]) {
		t.Errorf("protected are %q", files)
	}
	if p, err := w.Resolve(".codex/auth.json", true); err != nil || !p.Protected || !p.Outside {
		t.Errorf("%+v, %v", p, err)
	}
}
