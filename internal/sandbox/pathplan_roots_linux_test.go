package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The .git of a workspace inside another writable folder, such as the temporary one, is protected
// however many folders the outer one contains.
func TestPlanPathsWithInnerRoots(t *testing.T) {
	outer, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(outer, "z", "work")
	git := filepath.Join(inner, gitName)
	if err := os.MkdirAll(git, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range gitFolderLimit {
		if err := os.Mkdir(filepath.Join(outer, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, roots := range [][]string{{outer, inner}, {inner, outer}} {
		g := planPaths(Policy{Level: WorkspaceWrite, Writable: roots})
		if !slices.Equal(g.writable, []string{outer}) || !slices.Contains(g.protected, git) {
			t.Errorf("%q: writable %q, protected %q", roots, g.writable, g.protected)
		}
	}
}
