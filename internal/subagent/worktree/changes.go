package worktree

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// Changes returns the files below dir that differ from the last commit, relative to dir, each after git's two
// letters for how: "M  a.go", "?? b/". There are none outside of a repository. It fails where the repository has
// git run programs, unless the folder is trusted, as Isolate does.
func (m *Manager) Changes(ctx context.Context, dir string) ([]string, error) {
	top, _, prefix, err := m.find(ctx, dir)
	if err != nil || top == "" {
		return nil, err
	}
	if !filepath.IsLocal(prefix) {
		return nil, errors.New("the repository has its files elsewhere")
	}
	if prefix = filepath.ToSlash(prefix) + "/"; prefix == "./" {
		prefix = ""
	}
	text, err := m.at(dir).run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all", "--", ".")
	if err != nil {
		return nil, err
	}
	var changes []string
	for entry := range strings.SplitSeq(text, "\x00") {
		if len(entry) < len("?? a") {
			continue
		}
		kind, path := entry[:3], strings.TrimPrefix(entry[3:], prefix)
		if path == "" { // the folder itself
			path = "./"
		}
		changes = append(changes, kind+path)
	}
	return changes, nil
}
