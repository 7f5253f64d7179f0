package tool

import (
	"os/exec"
	"strings"
	"testing"
)

// TestGitTakesTheDiff: git applies the diff of a new file, whatever its name is.
func TestGitTakesTheDiff(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, name := range []string{
		"plain.txt", "with space.txt", "ümlaut.txt", "tab\there", "quote\"d", `back\slash`, "bell\x07", "line\nbreak", "bad\xff.txt", "deep/down/x",
	} {
		dir := t.TempDir()
		if out, err := exec.CommandContext(t.Context(), git, "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("git init: %s", out)
		}
		change := fileChange(name, original{}, []byte("one\ntwo"))
		apply := exec.CommandContext(t.Context(), git, "apply", "--check", "--verbose", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(change.Diff)
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%q: %s\n%s", name, out, change.Diff)
		}
	}
}
