package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/environ"
	"parley.dev/parley/internal/tool/workspace"
)

// TestStartProgram: a program of a client runs in the folder that it names, and not where none is.
func TestStartProgram(t *testing.T) {
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	h := NewHost(Config{Store: newMemStore(), Env: func(dir string) (*tool.Env, error) {
		w, err := workspace.Open(dir)
		return &tool.Env{Workspace: w, Spawner: spawner, Environ: environ.ForChildren(os.Environ())}, err
	}})
	p := tool.Program{Args: []string{"pwd"}, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}
	if _, err := h.StartProgram(t.Context(), filepath.Join(t.TempDir(), "gone"), p); !errors.Is(err, ErrNoFolder) {
		t.Errorf("without a folder: %v", err)
	}
	dir := resolved(t, t.TempDir())
	r, err := h.StartProgram(t.Context(), dir, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Wait(); string(got.Stdout) != dir+"\n" {
		t.Errorf("%+v", got)
	}
}
