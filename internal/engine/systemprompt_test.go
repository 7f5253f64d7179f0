package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryFiles(t *testing.T) {
	dir := t.TempDir()
	repo, workspace := filepath.Join(dir, "repo"), filepath.Join(dir, "repo", "a", "b")
	for _, name := range []string{"AGENTS.md", "repo/AGENTS.md", "repo/OTHER.md", "repo/a/b/AGENTS.md"} {
		write(t, filepath.Join(dir, name), name)
	}
	names := []string{"AGENTS.md", "OTHER.md"}
	if got := MemoryFiles(workspace, names); len(got) != 1 {
		t.Errorf("outside a repository: %q", got)
	}
	write(t, filepath.Join(repo, ".git", "HEAD"), "ref")
	want := []string{filepath.Join(repo, "AGENTS.md"), filepath.Join(repo, "OTHER.md"), filepath.Join(workspace, "AGENTS.md")}
	equal(t, "in a repository", MemoryFiles(workspace, names), want)
	if err := os.Symlink("/etc/hostname", filepath.Join(repo, "a", "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	equal(t, "with a symlink", MemoryFiles(workspace, names), want)
}

// TestSystemPrompt: the project's instructions reach the model, and a file that is changed
// between turns counts from the next one on.
func TestSystemPrompt(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"))
	s := b.session(t, func(o *Options, s *event.Settings) { o.Instructions = "Be kind."; s.Mode = "plan" })
	path := filepath.Join(s.State().Workspace, "AGENTS.md")
	write(t, path, "Use tabs.")
	ended(t, turnOf(t, s, "go", nil))
	write(t, path, strings.Repeat("x", memoryCap)+"beyond the cap")
	ended(t, turnOf(t, s, "go", nil))
	first, second := b.requests()[0].System, b.requests()[1].System
	for _, want := range []string{"Use tabs.", "Be kind.", "Plan mode", s.State().Workspace} {
		if !strings.Contains(first, want) {
			t.Errorf("the system prompt has no %q", want)
		}
	}
	if strings.Contains(second, "Use tabs.") || strings.Contains(second, "beyond the cap") {
		t.Error("the second turn has the old file, or too much of the new one")
	}
}
