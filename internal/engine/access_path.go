package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
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

// Excludes reports whether sessions of the caller must not work in a folder, and returns the folders in which, and below which,
// they may. A folder that does not exist is outside of them if its path is.
func (h *Host) Excludes(dir string) (within []string, outside bool) {
	if !h.access.Limited() || !filepath.IsAbs(dir) {
		return nil, false
	}
	real, ok := realPath(dir)
	if ok && h.worksIn(real) {
		return nil, false
	}
	if h.access.Within != "" {
		return []string{h.access.Within}, true
	}
	return h.sessionFolders(), true
}

// worksIn reports whether sessions of the caller may work in a folder, given without symlinks. A caller that can reach only some
// sessions may choose a folder within one of theirs: any other one would be a right over files that its sessions do not give.
func (h *Host) worksIn(dir string) bool {
	if h.access.Sessions == nil || !h.access.coversFolder(dir) {
		return h.access.coversFolder(dir)
	}
	return slices.ContainsFunc(h.sessionFolders(), func(folder string) bool { return Access{Within: folder}.coversFolder(dir) })
}

// sessionFolders returns the folders of the sessions that an access names: those in which they were made, and their current ones.
func (h *Host) sessionFolders() []string {
	var folders []string
	add := func(dir string) {
		if dir != "" && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	for _, id := range h.access.Sessions {
		if s := h.find(id); s != nil {
			st := s.State()
			add(st.Workspace)
			add(st.Dir())
			continue
		}
		for _, archived := range []bool{false, true} {
			page, err := h.List(context.Background(), Query{IDs: []event.SessionID{id}, Archived: archived})
			if err != nil {
				h.cfg.Log.Warn("folder of a session not read", "session", id, "error", err)
				continue
			}
			for _, s := range page.Sessions {
				add(s.Workspace)
			}
		}
	}
	return folders
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
