package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// A FileChange is what a patch does to a file.
type FileChange struct {
	Path           string // below the outermost repository, with "/"; of a file that was moved, the new one
	Op             string // add, change, remove or rename
	Added, Removed int    // lines; -1: the file is binary
}

// Files returns what the patches do to files.
func (d Delta) Files(ctx context.Context) ([]FileChange, error) {
	var files []FileChange
	for _, p := range d.Patches {
		list, err := p.git.run(ctx, "diff-tree", "-r", "-z", "-M", "--raw", "--numstat", p.before, p.after)
		if err != nil {
			return nil, fmt.Errorf("list changed files: %w", err)
		}
		found, err := parseFiles(list)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.Path = strings.TrimPrefix(p.Repository+"/"+f.Path, "/")
			files = append(files, f)
		}
	}
	return files, nil
}

// fileOps are git's letters for changes of a file.
var fileOps = lazy.Value[map[byte]string]{New: func() map[byte]string {
	return map[byte]string{'A': "add", 'C': "add", 'D': "remove", 'M': "change", 'R': "rename", 'T': "change"}
}}

// parseFiles reads the output of git diff-tree -z --raw --numstat: an entry ":MODE MODE ID ID LETTER", PATH for each file, of a
// file that was moved with two paths, and then a line "ADDED REMOVED PATH", of a moved file with the paths after it.
func parseFiles(list string) (files []FileChange, err error) {
	fields := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	next := func() string {
		if len(fields) == 0 {
			return ""
		}
		field := fields[0]
		fields = fields[1:]
		return field
	}
	for len(fields) > 0 && strings.HasPrefix(fields[0], ":") {
		parts := strings.Fields(next())
		if len(parts) != 5 || fileOps.Get()[parts[4][0]] == "" {
			return nil, fmt.Errorf("git reports a change as %q", parts)
		}
		path := next()
		if letter := parts[4][0]; letter == 'R' || letter == 'C' {
			path = next()
		}
		files = append(files, FileChange{Path: path, Op: fileOps.Get()[parts[4][0]]})
	}
	for i := range files {
		counts := strings.SplitN(next(), "\t", 3)
		if len(counts) != 3 {
			return nil, fmt.Errorf("git counts lines as %q", counts)
		}
		if counts[2] == "" { // it was moved
			next()
			next()
		}
		files[i].Added, files[i].Removed = lineCount(counts[0]), lineCount(counts[1])
	}
	return files, nil
}

func lineCount(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1 // "-": it is binary
	}
	return n
}
