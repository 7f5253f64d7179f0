package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFormerWorkspace: a folder that is gone has the path that sessions in it have, with the links of its parents resolved.
func TestFormerWorkspace(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "there"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("there", filepath.Join(base, "link")); err != nil {
		t.Skip(err)
	}
	for dir, want := range map[string]string{
		"there": "there", "link": "there", "link/gone": "there/gone", "gone": "gone", "gone/deep/er": "gone/deep/er", "there/../gone": "gone",
		"file": "", "file/x": "",
	} {
		got, err := FormerWorkspace(base + "/" + dir)
		if want == "" && err == nil || want != "" && got != filepath.Join(base, want) {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
	}
}
