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

// cannot is a failed Result: what could not be done to p, and why.
func (w *Workspace) cannot(verb string, p approval.Path, err error) Result {
	return Failed(fmt.Sprintf("cannot %s %s: %s", verb, shownName(p.Shown), w.reason(p, err)))
}

// reason says in words what err means for p.
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

// missing tells what stands where p does not exist.
func (w *Workspace) missing(p approval.Path) string {
	parent := filepath.Dir(p.Path)
	dir, err := w.folder(parent, false)
	if err != nil {
		return fmt.Sprintf("its folder %s does not exist", shownName(w.Rel(parent)))
	}
	defer dir.Close()
	near := nearNames(dir, filepath.Base(p.Path))
	if len(near) == 0 {
		return "it does not exist"
	}
	return "it does not exist; the same folder has " + strings.Join(near, ", ")
}
