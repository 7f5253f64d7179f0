package tool

import (
	"context"
	"path"
	"slices"

	"parley.dev/parley/internal/tool/workspace"
)

// A FileIndex is the files and folders below some roots at one time, for several searches. The zero value has none.
// Several goroutines may search.
type FileIndex struct {
	Truncated bool // there were more files than FindFiles looks at

	paths   []string
	entries []indexEntry // of paths
}

// An indexEntry is what a path of a FileIndex is.
type indexEntry struct {
	root   string
	folder bool
}

// A FileMatch is a file or folder that matches a query.
type FileMatch struct {
	Root    string // the folder of the workspace
	Path    string // relative to Root, with "/"
	Folder  bool
	Score   int   // more is better; never negative
	Indices []int // of the characters of Path that are those of the query, in order; a character is a Unicode code point
}

// Add adds a workspace: the files that FindFiles looks at, and the folders which have any. No search may run meanwhile. The error is
// that of FindFiles; then nothing was added.
func (x *FileIndex) Add(ctx context.Context, w *workspace.Workspace) error {
	files, truncated, err := filePaths(ctx, w)
	if err != nil {
		return err
	}
	x.Truncated = x.Truncated || truncated
	folders := map[string]bool{}
	for _, file := range files {
		for dir := path.Dir(file); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
			x.add(dir, indexEntry{w.Dir(), true})
		}
		x.add(file, indexEntry{w.Dir(), false})
	}
	return nil
}

func (x *FileIndex) add(path string, e indexEntry) {
	x.paths = append(x.paths, path)
	x.entries = append(x.entries, e)
}

// Search returns the files and folders whose paths are most like query, the best first, at most limit; see FindFiles.
func (x *FileIndex) Search(query string, limit int) []FileMatch {
	best := bestPaths(query, x.paths, limit)
	matches := make([]FileMatch, len(best))
	for i, m := range best {
		e := x.entries[m.index]
		matches[i] = FileMatch{Root: e.root, Path: m.path, Folder: e.folder, Score: m.total(), Indices: m.characters()}
	}
	return matches
}

// The scores of a rank: those of the library are moved into them.
const (
	rankScores = 100_000
	lowestRank = 4
)

// total returns one number for rank and score.
func (m pathMatch) total() int {
	return max(0, lowestRank-m.rank)*rankScores + max(0, min(m.score+rankScores/2, rankScores-1))
}

// characters returns the positions of the characters of the query in the path.
func (m pathMatch) characters() []int {
	indices, at := make([]int, 0, len(m.bytes)), 0
	for i := range m.path {
		if slices.Contains(m.bytes, i) {
			indices = append(indices, at)
		}
		at++
	}
	return indices
}
