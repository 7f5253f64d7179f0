package tool

import (
	"path/filepath"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// ReportedChange returns the change of a file that another program has made and reports, as its texts before and after, or the
// parts of them that differ; before is nil if there was no file. It cannot be undone: what is in the file is not known for certain.
func ReportedChange(w *workspace.Workspace, path string, before *string, after string) event.FileChange {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Dir(), path)
	}
	var old original
	if before != nil {
		old = original{data: []byte(*before), exists: true}
	}
	change := fileChange(w.Rel(path), old, []byte(after))
	change.After = ""
	return *change
}
