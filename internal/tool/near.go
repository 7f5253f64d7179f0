package tool

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"parley.dev/parley/internal/spelling"
	"parley.dev/parley/internal/tool/workspace"
)

// maxNear is how many similar names an error offers.
const maxNear = 3

// nearNames returns the names in dir that may have been meant by name, the likeliest first.
func nearNames(dir *os.Root, name string) []string {
	folder, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(10_000)
	if err != nil {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, other := range names {
		if far := distance(name, other); far >= 0 {
			found = append(found, candidate{other, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.name, b.name))
	})
	var near []string
	for _, c := range found[:min(len(found), maxNear)] {
		near = append(near, workspace.DisplayName(c.name))
	}
	return near
}

// maxLookedAt is about how many files are looked at to find those with the same name.
const maxLookedAt = 20_000

// sameNames returns the files of the workspace with that name, in whatever folder. It searches as glob does.
func sameNames(w *workspace.Workspace, name string) []string {
	base, err := w.Resolve(".", false)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var looked atomic.Int64
	walk := walk{workspace: w, base: base, depth: -1, keep: func(file string) bool {
		if looked.Add(1) > maxLookedAt {
			cancel()
		}
		return path.Base(file) == name
	}}
	got, _ := walk.run(ctx) // the error reports that there is more than was looked at
	var names []string
	for _, file := range got.files[:min(len(got.files), maxNear)] {
		names = append(names, workspace.DisplayName(file.path))
	}
	return names
}

// distance returns how far name is from other: 0 differs in case only, -1 is unlike.
func distance(name, other string) int {
	a, b := strings.ToLower(name), strings.ToLower(other)
	stem := strings.TrimSuffix(a, filepath.Ext(a))
	edits := spelling.Distance(a, b)
	switch {
	case edits <= max(1, len(a)/4):
		return edits
	case stem != "" && stem == strings.TrimSuffix(b, filepath.Ext(b)):
		return edits
	case len(a) >= 3 && strings.Contains(b, a), len(b) >= 3 && strings.Contains(a, b):
		return edits
	}
	return -1
}
