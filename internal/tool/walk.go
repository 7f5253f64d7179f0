package tool

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspace"
)

// A walk looks for files below a folder. Symlinks are found but not followed. It leaves
// out .git, what is protected, and, unless ignored is set, what .gitignore excludes.
type walk struct {
	workspace *workspace.Workspace
	base      approval.Path
	depth     int                    // how many folders below base to go down; -1: all
	ignored   bool                   // what .gitignore excludes counts too
	keep      func(path string) bool // whether a file counts; called by several goroutines
}

// A found is a file that a walk has found.
type found struct {
	path string      // relative to the base, with "/"
	kind fs.FileMode // type bits
}

// A harvest is what a walk brings home.
type harvest struct {
	files      []found // in the order of their paths
	unreadable int     // folders that could not be read
}

// run walks. It starts at most one goroutine per processor and waits for all. When ctx
// ends, the harvest is what was found so far, and the error its cause.
func (w *walk) run(ctx context.Context) (harvest, error) {
	dir, err := w.workspace.OpenFolder(w.base)
	if err != nil {
		return harvest{}, err
	}
	walking := walking{walk: w, ctx: ctx, prefix: "."}
	var rules *ignoreRules
	if !w.ignored {
		rules, walking.prefix = rulesAbove(w.workspace, w.base.Path)
	}
	walking.group.SetLimit(runtime.GOMAXPROCS(0) - 1) // this goroutine is the other one
	walking.visit(dir, ".", rules)
	if err := walking.group.Wait(); err != nil {
		return harvest{}, err
	}
	slices.SortFunc(walking.files, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return walking.harvest, context.Cause(ctx)
}

// A walking is a walk under way.
type walking struct {
	*walk
	ctx    context.Context
	prefix string // of base, for the ignore rules
	group  errgroup.Group

	mu sync.Mutex
	harvest
}

// visit walks the folder at, held open as dir, and closes it.
func (w *walking) visit(dir *os.Root, at string, rules *ignoreRules) {
	defer dir.Close()
	if w.ctx.Err() != nil {
		return
	}
	entries, err := readFolder(dir)
	if err != nil {
		w.skip()
		return
	}
	if !w.ignored && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
		rules = rules.in(dir, path.Join(w.prefix, at))
	}
	var files []found
	for _, entry := range entries {
		name := path.Join(at, entry.Name())
		switch {
		case entry.Name() == ".git":
		case rules.ignores(path.Join(w.prefix, name), entry.IsDir()):
		case entry.IsDir():
			w.enter(dir, entry.Name(), name, rules)
		case w.hidden(name):
		case w.keep == nil || w.keep(name):
			files = append(files, found{path: name, kind: entry.Type()})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = append(w.files, files...)
}

// enter visits a folder of dir: in a goroutine of its own if one is free.
func (w *walking) enter(dir *os.Root, name, at string, rules *ignoreRules) {
	if w.depth >= 0 && strings.Count(at, "/") >= w.depth || w.hidden(at) {
		return
	}
	next, err := workspace.EnterFolder(dir, name)
	if err != nil {
		w.skip()
		return
	}
	visit := func() error {
		w.visit(next, at, rules)
		return nil
	}
	if !w.group.TryGo(visit) {
		_ = visit() // it has no errors: what cannot be read is skipped
	}
}

// hidden reports whether at is protected, and base is not: approving a folder does not
// approve what is protected in it.
func (w *walking) hidden(at string) bool {
	return w.workspace.Hides(filepath.Join(w.base.Path, at)) && !w.workspace.Hides(w.base.Path)
}

func (w *walking) skip() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unreadable++
}

// readFolder returns the entries of dir in any order.
func readFolder(dir *os.Root) ([]fs.DirEntry, error) {
	folder, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadDir(-1)
}
