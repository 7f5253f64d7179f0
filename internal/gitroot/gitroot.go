// Package gitroot finds the Git repository that a folder lies in, from its files alone: git itself runs programs that a repository names.
package gitroot

import (
	"os"
	"path/filepath"
)

// Find returns the root of the repository that dir lies in: the nearest folder at or above it for which Has is true.
func Find(dir string) (root string, found bool) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if Has(at) {
			return at, true
		}
		if filepath.Dir(at) == at {
			return "", false
		}
	}
}

// Has reports whether dir has the .git of a repository: a folder with a HEAD, or the file of a worktree or a submodule. A folder without
// a HEAD is none, for git either: the sandbox puts an empty one into a writable folder that has none while a command runs, so that the
// command cannot make it.
func Has(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}
