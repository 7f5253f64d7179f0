package tool

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"parley.dev/parley/internal/tool/workspace"
)

// orderModified is the order of files in which those come first that were changed last.
const orderModified = "modified"

// newestFirst sorts files, which come in the order of their paths below folder, by the
// time of their last change. Those of the same time stay in the order of their paths, and
// those that cannot be looked at come last.
func newestFirst(w *workspace.Workspace, folder string, files []found) {
	type dated struct {
		found
		time time.Time
	}
	var dir *os.Root // of the last file; nil: it could not be opened
	at := ""
	all := make([]dated, len(files))
	for i, file := range files {
		if in := path.Dir(file.path); dir == nil || in != at {
			if dir != nil {
				dir.Close()
			}
			at = in
			if dir, _ = w.OpenDir(filepath.Join(folder, in)); dir == nil {
				all[i].found = file
				continue
			}
		}
		all[i].found = file
		if info, err := dir.Lstat(path.Base(file.path)); err == nil {
			all[i].time = info.ModTime()
		}
	}
	if dir != nil {
		dir.Close()
	}
	slices.SortStableFunc(all, func(a, b dated) int { return b.time.Compare(a.time) })
	for i := range all {
		files[i] = all[i].found
	}
}
