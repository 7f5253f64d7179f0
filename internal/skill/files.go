package skill

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// maxFiles is how many files of a skill are named.
const maxFiles = 200

// Files returns the skill's other files, relative to its folder with "/", in order; at most 200, and
// more reports that there are others. Names that begin with "." are left out, and what symlinks lead to.
func (s Skill) Files() (files []string, more bool) {
	dir, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return nil, false
	}
	looked := 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		switch {
		case err != nil, relErr != nil:
			return nil // it cannot be read: it is not named
		case rel == ".":
			return nil
		case strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() && strings.Count(rel, "/") >= maxDepth:
			return fs.SkipDir
		}
		if looked++; looked > maxEntries {
			more = true
			return fs.SkipAll
		}
		if entry.IsDir() || rel == FileName {
			return nil
		}
		if len(files) == maxFiles {
			more = true
			return fs.SkipAll
		}
		files = append(files, filepath.ToSlash(rel))
		return nil
	})
	return files, more
}
