package sandbox

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const gitName = ".git"

// gitFolders returns the folders that a .git refers to: the .git of a worktree or a submodule is
// a file that names a folder, which may name another one, and a symbolic link has a target.
func gitFolders(git string) (folders []string) {
	info, err := os.Lstat(git)
	if err != nil {
		return nil
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(git)
		if err != nil {
			return nil
		}
		return append(gitFolders(target), target)
	}
	folder := git
	if info.Mode().IsRegular() {
		gitDir, ok := strings.CutPrefix(readPrefix(git), "gitdir:")
		if !ok {
			return nil
		}
		if folder, err = filepath.EvalSymlinks(absolute(strings.TrimSpace(gitDir), filepath.Dir(git))); err != nil {
			return nil
		}
		folders = append(folders, folder)
	}
	if common := readPrefix(filepath.Join(folder, "commondir")); common != "" {
		if common, err = filepath.EvalSymlinks(absolute(common, folder)); err == nil {
			folders = append(folders, common)
		}
	}
	return folders
}

// maxGitText limits how much of a file of git is read, in bytes.
const maxGitText = 1 << 20

// readPrefix returns at most maxGitText bytes of a regular file, without space around them; "" if
// it cannot be read.
func readPrefix(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would never end
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxGitText)) // what was read before an error counts
	return strings.TrimSpace(string(text))
}

func absolute(path, folder string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path)
}
