package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CoversPath reports whether a file or a folder is within the access of the caller, once the symlinks in its path are
// resolved. The path is absolute; the end of it need not exist. A caller that can reach only some sessions can name none.
func (h *Host) CoversPath(path string) bool {
	switch {
	case !h.access.Limited():
		return true
	case h.access.Sessions != nil || !filepath.IsAbs(path):
		return false
	}
	real, ok := realPath(path)
	return ok && h.access.coversFolder(real)
}

// Excludes reports whether a folder is outside of the folder within which sessions of the caller work, and returns that one. A
// folder that does not exist is outside of it if its path is.
func (h *Host) Excludes(dir string) (within string, outside bool) {
	if h.access.Within == "" || !filepath.IsAbs(dir) {
		return "", false
	}
	real, ok := realPath(dir)
	return h.access.Within, !ok || !h.access.coversFolder(real)
}

// realPath returns a path without symlinks, of which the end need not exist. It is not ok if that end could lead elsewhere
// once it exists: by a link without a target, or by "..".
func realPath(path string) (real string, ok bool) {
	missing := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, missing), true
		}
		_, err := os.Lstat(at)
		if err == nil || at == filepath.Dir(at) || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
			return "", false
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}
