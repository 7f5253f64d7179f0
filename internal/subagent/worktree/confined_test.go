package worktree

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitIsConfined: what runs as git can change but to apply a patch neither the user's files, settings and hooks of the repository,
// nor what is elsewhere.
func TestGitIsConfined(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n"})
	if !m.spawner.Confinement().Available {
		t.Skip("commands cannot be confined here")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp("/var/tmp", "parley-git-") // programs of folders for temporary files are passed over
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	marks := []string{filepath.Join(root, "mark"), filepath.Join(dir, ".git", "hooks", "mark"), filepath.Join(dir, ".git", "mark"), filepath.Join(m.root, "mark")}
	script := "#!/bin/sh\ncase \" $* \" in *' apply --whitespace'*) ;; *) for mark in " + strings.Join(marks, " ") + "; do touch $mark; done; touch " + filepath.Join(dir, "mark") + ";; esac\nexec " + real + " \"$@\"\n"
	files{"git": "+x " + script}.write(t, root)
	t.Setenv("PATH", root+":"+os.Getenv("PATH"))
	tree := isolate(t, m, dir)
	files{"a.txt": "b\n", "n/c.txt": "c\n"}.write(t, tree.Dir())
	d := capture(t, tree)
	if _, err := m.Branch(t.Context(), d, "task", "Change"); err != nil {
		t.Error(err)
	}
	if err := m.Apply(t.Context(), d); err != nil {
		t.Error(err)
	}
	if _, err := m.Changes(t.Context(), dir); err != nil {
		t.Error(err)
	}
	sameFiles(t, dir, files{"a.txt": "b\n", "n/c.txt": "c\n"})
	for _, mark := range marks {
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("git could write %s", mark)
		}
	}
	wrapped := exec.Command("git", "--version")
	if err := wrapped.Run(); err != nil {
		t.Fatal(err)
	}
	for _, mark := range marks {
		if _, err := os.Stat(mark); err != nil {
			t.Errorf("git writes nothing here, so that it did not proves nothing: %v", err)
		}
	}
}
