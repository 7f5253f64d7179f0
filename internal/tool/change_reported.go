package tool

import (
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// This file contains changes of files that another program has made and reports. They cannot be undone: what is in the
// files is not known for certain.

// ReportedChange returns a change that is reported as the texts of a file before and after, or the parts of them that differ;
// before is nil if there was no file.
func ReportedChange(w *workspace.Workspace, path string, before *string, after string) event.FileChange {
	change := fileChange(reportedPath(w, path), reportedText(before), []byte(after))
	change.After = ""
	return *change
}

// ReportedDeletion returns the deletion of a file; before is nil if its text is not known.
func ReportedDeletion(w *workspace.Workspace, path string, before *string) event.FileChange {
	path = reportedPath(w, path)
	if before == nil {
		return event.FileChange{Path: path, Op: event.Deleted, Existed: true}
	}
	return *deletion(path, reportedText(before))
}

// ReportedDiff returns a change that is reported as the hunks of a unified diff of a file that existed.
func ReportedDiff(w *workspace.Workspace, path, hunks string) event.FileChange {
	path = reportedPath(w, path)
	change := event.FileChange{Path: path, Op: event.Updated, Existed: true}
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			change.Added++
		case '-':
			change.Removed++
		}
	}
	if !strings.HasSuffix(hunks, "\n") {
		hunks += "\n"
	}
	name := strings.TrimPrefix(path, "/")
	change.Diff = "--- " + gitName("a/"+name) + "\n+++ " + gitName("b/"+name) + "\n" + hunks
	CutDiff(&change, maxDiffs)
	return change
}

// reportedPath returns a path as changes have it.
func reportedPath(w *workspace.Workspace, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Dir(), path)
	}
	return w.Rel(path)
}

// reportedText returns a text as the content of a file; nil: there is no file.
func reportedText(text *string) (content original) {
	if text != nil {
		content = original{data: []byte(*text), exists: true}
	}
	return content
}
