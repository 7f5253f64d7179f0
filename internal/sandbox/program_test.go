package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLookPath: programs are found on the absolute folders of PATH, and nowhere else.
func TestLookPath(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	t.Chdir(other)
	for path, mode := range map[string]os.FileMode{
		filepath.Join(dir, "agent"): 0o755, filepath.Join(dir, "text"): 0o644, filepath.Join(other, "here"): 0o755,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{".", "", dir}, string(filepath.ListSeparator))
	for name, want := range map[string]string{
		"agent": filepath.Join(dir, "agent"), "/x/y": "/x/y", "text": "", "folder": "", "here": "", "./here": "", "none": "",
	} {
		got, err := LookPath(name, path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("LookPath(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
}

// TestWithVariables: variables replace those of the same name.
func TestWithVariables(t *testing.T) {
	got := WithVariables([]string{"A=1", "AB=2", "C=3"}, map[string]string{"A": "x=y", "D": ""})
	if want := []string{"AB=2", "C=3", "A=x=y", "D="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if v := Variable(append(got, "C=4"), "C"); v != "4" {
		t.Errorf("C is %q", v)
	}
	if v := Variable(got, "B"); v != "" {
		t.Errorf("B is %q", v)
	}
}
