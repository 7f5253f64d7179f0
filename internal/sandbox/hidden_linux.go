package sandbox

import (
	"fmt"
	"os"
	"slices"
)

// hiddenPaths are the folders that a command can neither read nor change, as they are on the disk now.
type hiddenPaths struct {
	folders  []string // none below another; they need not exist
	writable []string // existing folders below them that the command may change, none below another
	readable []string // existing folders below them that it may only read, none below another
}

// hide returns what of hidden a command with the policy p must not reach. What p protects stays hidden although it is
// also writable.
func hide(p Policy, hidden, readable []string) hiddenPaths {
	h := hiddenPaths{folders: outermost(hidden)}
	if p.Level == WorkspaceWrite {
		for _, root := range p.Writable {
			h.writable = append(h.writable, h.opened(root)...)
		}
		h.writable = slices.DeleteFunc(outermost(h.writable), func(root string) bool {
			return slices.ContainsFunc(p.Protected, func(path string) bool { return within(root, path) })
		})
	}
	for _, folder := range readable {
		h.readable = append(h.readable, h.opened(folder)...)
	}
	h.readable = slices.DeleteFunc(outermost(h.readable), func(folder string) bool {
		return slices.ContainsFunc(h.writable, func(root string) bool { return within(folder, root) || within(root, folder) })
	})
	return h
}

// opened returns folder if it is there and below a hidden folder.
func (h hiddenPaths) opened(folder string) []string {
	if !h.contains(folder) {
		return nil
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil
	}
	return []string{folder}
}

// contains reports whether path is below one of the hidden folders, or is one.
func (h hiddenPaths) contains(path string) bool {
	return slices.ContainsFunc(h.folders, func(folder string) bool { return within(path, folder) })
}

// check returns an error if a command is to run in a folder that it cannot reach.
func (h hiddenPaths) check(dir string) error {
	open := func(folder string) bool { return within(dir, folder) }
	if h.contains(dir) && !slices.ContainsFunc(h.writable, open) && !slices.ContainsFunc(h.readable, open) {
		return fmt.Errorf("%s is in the folder of this program's own state, which confined commands cannot read: choose another folder, or run it without a sandbox", dir)
	}
	return nil
}

// existing returns the hidden folders that exist.
func (h hiddenPaths) existing() []string {
	return slices.DeleteFunc(slices.Clone(h.folders), func(folder string) bool {
		info, err := os.Lstat(folder)
		return err != nil || !info.IsDir()
	})
}
