package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/tool/workspace"
)

// TestFindFiles: the best match comes first; what is ignored, in .git or protected is not found.
func TestFindFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		".git/turn.go", "ignored/turn.go", "state/turn.go", "turn.go", "turning.go", "a/return.go", "turn/x.go", "t/u/r/n.go", "other.txt", "my file.txt",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("ignored\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir, filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, c := range []struct {
		query string
		limit int
		want  []string
	}{
		{"turn", 10, []string{"turn.go", "turning.go", "a/return.go", "turn/x.go", "t/u/r/n.go"}},
		{"TURN.GO", 10, []string{"turn.go", "a/return.go", "turning.go", "t/u/r/n.go", "turn/x.go"}},
		{"turn", 2, []string{"turn.go", "turning.go"}},
		{"my file", 10, []string{"my file.txt"}},
		{"x.go", 1, []string{"turn/x.go"}},
		{"nothing", 10, []string{}},
		{"", 3, []string{"turn.go", "other.txt", "turning.go"}},
	} {
		found, err := FindFiles(t.Context(), w, c.query, c.limit)
		slices.Sort(found.Paths[min(len(found.Paths), 2):]) // the order of weak matches is the library's
		want := slices.Clone(c.want)
		slices.Sort(want[min(len(want), 2):])
		if err != nil || found.Truncated || c.query != "" && !slices.Equal(found.Paths, want) || len(found.Paths) != len(want) {
			t.Errorf("%q: %q (%t), %v; want %q", c.query, found.Paths, found.Truncated, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindFiles(ctx, w, "turn", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
