package tool

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"

	"parley.dev/parley/internal/tool/workspace"
)

const (
	findFiles = 200_000         // how many files FindFiles looks at
	findTime  = 2 * time.Second // how long it looks for them
)

// errFoundEnough ends a walk that has reached a limit of FindFiles.
var errFoundEnough = errors.New("enough files were found")

// FoundFiles are the files that FindFiles has found.
type FoundFiles struct {
	Paths     []string // relative to the workspace, with "/"; the best first
	Truncated bool     // there were more files than it looks at
}

// FindFiles finds the files of a workspace whose paths are most like query, at most limit. The characters of the query
// have to be in the path, in that order. Files that .gitignore excludes are left out, as are .git and what is protected.
// The order is: files with that name, names that begin with the query, names that contain it, paths that
// contain it, others. It looks at a limited number of files for a limited time. The error is the cause of ctx, or about
// the folder.
func FindFiles(ctx context.Context, w *workspace.Workspace, query string, limit int) (FoundFiles, error) {
	paths, truncated, err := filePaths(ctx, w)
	if err != nil {
		return FoundFiles{}, err
	}
	best := bestPaths(query, paths, limit)
	found := FoundFiles{Paths: make([]string, len(best)), Truncated: truncated}
	for i, m := range best {
		found.Paths[i] = m.path
	}
	return found, nil
}

// filePaths returns the paths of the files of a workspace that are not left out; see FindFiles.
func filePaths(ctx context.Context, w *workspace.Workspace) (paths []string, truncated bool, err error) {
	base, err := w.Resolve(".", false)
	if err != nil {
		return nil, false, err
	}
	walking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	walking, stopClock := context.WithTimeoutCause(walking, findTime, errFoundEnough)
	defer stopClock()
	var seen atomic.Int64
	walk := walk{workspace: w, base: base, depth: -1, keep: func(path string) bool {
		if seen.Add(1) > findFiles {
			stop(errFoundEnough)
			return false
		}
		return utf8.ValidString(path)
	}}
	got, err := walk.run(walking)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, errFoundEnough) {
		return nil, false, err
	}
	paths = make([]string, len(got.files))
	for i, f := range got.files {
		paths[i] = f.path
	}
	return paths, err != nil, nil
}

// A pathMatch is a path that matches a query.
type pathMatch struct {
	path  string
	index int   // of the path among those that were given
	rank  int   // see pathRank; of an empty query the depth
	score int   // of the library, among those of a rank; more is better
	bytes []int // where the characters of the query begin in the path
}

// bestPaths returns the paths that match query, the best first, at most limit.
func bestPaths(query string, paths []string, limit int) []pathMatch {
	query = strings.Join(strings.Fields(query), "")
	var all []pathMatch
	if query == "" {
		for i, p := range paths {
			all = append(all, pathMatch{path: p, index: i, rank: strings.Count(p, "/")})
		}
	}
	lower := strings.ToLower(query)
	for _, m := range fuzzy.FindNoSort(query, paths) {
		all = append(all, pathMatch{m.Str, m.Index, pathRank(lower, strings.ToLower(m.Str)), m.Score, m.MatchedIndexes})
	}
	slices.SortFunc(all, func(a, b pathMatch) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank), cmp.Compare(b.score, a.score), cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path),
			cmp.Compare(a.index, b.index),
		)
	})
	return all[:min(limit, len(all))]
}

// pathRank returns how much a path is like a query, both in lower case; 0 is most.
func pathRank(query, file string) int {
	name := path.Base(file)
	switch {
	case name == query, file == query, strings.TrimSuffix(name, path.Ext(name)) == query:
		return 0
	case strings.HasPrefix(name, query):
		return 1
	case strings.Contains(name, query):
		return 2
	case strings.Contains(file, query):
		return 3
	}
	return 4
}
