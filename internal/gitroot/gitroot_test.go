package gitroot

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"plain/deep", "repo/.git", "repo/sub/empty/.git", "repo/sub/empty/deep", "link", "file/deep"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{"repo/.git/HEAD": "ref: refs/heads/main\n", "file/.git": "gitdir: ../repo/.git\n"} {
		if err := os.WriteFile(filepath.Join(top, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]string{"repo": "repo", "repo/.git": "repo", "repo/sub/empty/deep": "repo", "file/deep": "file", "link": "link"}
	if err := os.Symlink("../repo/.git", filepath.Join(top, "link/.git")); err != nil {
		t.Logf("links are not tested: %v", err) // Windows lets few users make one
		delete(tests, "link")
	}
	for dir, want := range tests {
		if got, found := Find(filepath.Join(top, dir)); !found || got != filepath.Join(top, want) {
			t.Errorf("%s lies in %q, %v", dir, got, found)
		}
	}
	if Has(filepath.Join(top, "repo/sub/empty")) {
		t.Error("an empty .git is a repository")
	}
	if got, found := Find(filepath.Join(top, "plain/deep")); found {
		t.Errorf("a folder that is in no repository lies in %q", got)
	}
}
