package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspace"
)

// cannot returns a failed Result: what could not be done to p, and why.
func cannot(w *workspace.Workspace, verb string, p approval.Path, err error) Result {
	return Failed(fmt.Sprintf("cannot %s %s: %s", verb, workspace.DisplayName(p.Shown), reason(w, p, err)))
}

// reason returns in words what err means for p.
func reason(w *workspace.Workspace, p approval.Path, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missingFile(w, p)
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, workspace.ErrNotFolder):
		return "it is not a folder"
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// missingFile reports that p does not exist, and which files may have been meant.
func missingFile(w *workspace.Workspace, p approval.Path) string {
	parent, name := filepath.Split(p.Path)
	reason := "it does not exist"
	if dir, err := w.OpenDir(filepath.Clean(parent)); err != nil {
		reason = fmt.Sprintf("its folder %s does not exist", workspace.DisplayName(w.Rel(filepath.Clean(parent))))
		if !workspace.Below(w.Dir(), p.Path) {
			reason += "; the workspace is " + workspace.DisplayName(w.Dir())
		}
	} else {
		defer dir.Close()
		if near := nearNames(dir, name); len(near) > 0 {
			reason += "; the same folder has " + strings.Join(near, ", ")
		}
	}
	if same := sameNames(w, name); len(same) > 0 {
		reason += "; the workspace has " + strings.Join(same, ", ")
	}
	return reason
}
