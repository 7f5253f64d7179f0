package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"parley.dev/parley/internal/approval"
)

// cannot returns a failed Result: what could not be done to p, and why.
func (w *Workspace) cannot(verb string, p approval.Path, err error) Result {
	return Failed(fmt.Sprintf("cannot %s %s: %s", verb, shownName(p.Shown), w.reason(p, err)))
}

// reason returns in words what err means for p.
func (w *Workspace) reason(p approval.Path, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.missing(p)
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, errNotFolder):
		return "it is not a folder"
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// missing says that p does not exist, and which files may have been meant.
func (w *Workspace) missing(p approval.Path) string {
	parent, name := filepath.Split(p.Path)
	reason := "it does not exist"
	if dir, err := w.folder(filepath.Clean(parent), false); err != nil {
		reason = fmt.Sprintf("its folder %s does not exist", shownName(w.Rel(filepath.Clean(parent))))
		if !below(w.dir, p.Path) {
			reason += "; the workspace is " + shownName(w.dir)
		}
	} else {
		defer dir.Close()
		if near := nearNames(dir, name); len(near) > 0 {
			reason += "; the same folder has " + strings.Join(near, ", ")
		}
	}
	if same := w.sameNames(name); len(same) > 0 {
		reason += "; the workspace has " + strings.Join(same, ", ")
	}
	return reason
}
