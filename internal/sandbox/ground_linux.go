package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A ground is what a Policy comes to on the disk as it is now.
type ground struct {
	writable  []string // roots that are there, none below another
	protected []string // what is there below them, and stays as it is: Policy.Protected, folders of git
	links     []string // those of protected that are symbolic links: nothing can be mounted over them
	missing   []string // what would be protected if it were there
	pinned    []string // folders on the way to what is protected, outer ones first: they keep their names
}

// survey looks p up on the disk.
func survey(p Policy) ground {
	var g ground
	if p.Level == ReadOnly {
		return g
	}
	for _, root := range outermost(p.Writable) {
		if _, err := os.Lstat(root); err == nil && !slices.ContainsFunc(p.Protected, func(kept string) bool { return within(root, kept) }) {
			g.writable = append(g.writable, root)
		}
	}
	for _, kept := range p.Protected {
		g.protect(kept)
	}
	for _, root := range p.Writable { // inner ones too: a search of the outer may end before it comes there
		if slices.ContainsFunc(g.writable, func(outer string) bool { return within(root, outer) }) {
			g.protectGit(root)
		}
	}
	for _, root := range g.writable {
		g.reserveGit(root)
	}
	for _, kept := range p.Protected {
		g.pin(filepath.Dir(kept))
	}
	for _, root := range p.Writable {
		g.pin(root)
	}
	slices.Sort(g.pinned)
	g.pinned = slices.Compact(g.pinned)
	slices.Sort(g.protected) // outer folders first
	g.protected = slices.Compact(g.protected)
	slices.Sort(g.missing)
	g.missing = slices.Compact(g.missing)
	return g
}

// protect adds a path, if it lies on writable ground.
func (g *ground) protect(path string) {
	if !slices.ContainsFunc(g.writable, func(root string) bool { return within(path, root) }) {
		return
	}
	if info, err := os.Lstat(path); err == nil {
		if info.IsDir() && filepath.Base(path) == gitName && leftover(path) {
			g.missing = append(g.missing, path)
			return
		}
		g.protected = append(g.protected, path)
		if info.Mode()&os.ModeSymlink != 0 {
			g.links = append(g.links, path)
		}
		return
	}
	for { // the first folder of it that is not there
		parent := filepath.Dir(path)
		if _, err := os.Lstat(parent); err == nil || parent == path {
			break
		}
		path = parent
	}
	g.missing = append(g.missing, path)
}

// pin keeps the name of a folder on writable ground, and of those between it and the root: who
// renames one can put another in its place, with another state, configuration or .git in it.
func (g *ground) pin(folder string) {
	for _, root := range g.writable {
		for ; folder != root && within(folder, root); folder = filepath.Dir(folder) {
			if info, err := os.Lstat(folder); err == nil && info.IsDir() {
				g.pinned = append(g.pinned, folder)
			}
		}
	}
}

// leftover tells whether a .git may be a placeholder that a kill left behind.
func leftover(git string) bool {
	_, err := os.Lstat(filepath.Join(git, "HEAD"))
	return os.IsNotExist(err)
}

// protectGit adds what belongs to the repositories in root.
func (g *ground) protectGit(root string) {
	for _, git := range repositories.find(root) {
		g.protect(git)
		for _, other := range gitFolders(git) {
			g.protect(other)
		}
	}
}

// reserveGit adds the .git that root does not have. A root with the sticky bit, such as
// /tmp, is shared by all users, and any of them can make a .git there; so can the command.
func (g *ground) reserveGit(root string) {
	info, err := os.Stat(root)
	if err == nil && info.IsDir() && info.Mode()&os.ModeSticky == 0 {
		g.protect(filepath.Join(root, gitName))
	}
}

// outermost leaves out what lies below another of paths.
func outermost(paths []string) []string {
	var outer []string
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if !slices.ContainsFunc(outer, func(o string) bool { return within(path, o) }) {
			outer = append(outer, path)
		}
	}
	return outer
}

// within tells whether path is folder or lies below it; both are clean.
func within(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder) && path[len(folder)] == filepath.Separator
}
