package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// A pathPlan lists the paths that a Policy concerns on the disk as it is now.
type pathPlan struct {
	writable       []string // existing roots, none below another
	protected      []string // existing paths below them that must not change: Policy.Protected, folders of git
	symlinks       []string // those of protected that are symbolic links: nothing can be mounted over them
	missingFolders []string // paths that would be protected if they existed, as folders
	missingFiles   []string // the same as files
	renameLocked   []string // folders between a root and a protected path, outer ones first: they must not be renamed
	hidden         hiddenPaths
}

// planPaths reads the disk and returns the paths that p concerns.
func planPaths(p Policy) pathPlan {
	var paths pathPlan
	if p.Level == ReadOnly {
		return paths
	}
	for _, root := range outermost(p.Writable) {
		if _, err := os.Lstat(root); err == nil && !slices.ContainsFunc(p.Protected, func(path string) bool { return within(root, path) }) {
			paths.writable = append(paths.writable, root)
		}
	}
	for _, path := range p.Protected {
		paths.protect(path, false)
	}
	for _, path := range p.ProtectedFiles {
		paths.protect(path, true)
	}
	for _, root := range p.Writable { // inner ones too: the search of an outer one is limited and may not reach them
		if !p.GitFolders && slices.ContainsFunc(paths.writable, func(outer string) bool { return within(root, outer) }) {
			paths.protectGit(root)
		}
	}
	for _, root := range paths.writable {
		if !p.GitFolders {
			paths.protectMissingGit(root)
		}
	}
	for _, path := range slices.Concat(p.Protected, p.ProtectedFiles) {
		paths.lockName(filepath.Dir(path))
	}
	for _, root := range p.Writable {
		paths.lockName(root)
	}
	paths.renameLocked = slices.DeleteFunc(paths.renameLocked, func(folder string) bool { // a read-only mount covers it
		return slices.ContainsFunc(paths.protected, func(path string) bool { return within(folder, path) })
	})
	slices.Sort(paths.renameLocked)
	paths.renameLocked = slices.Compact(paths.renameLocked)
	slices.Sort(paths.protected) // outer folders first
	paths.protected = slices.Compact(paths.protected)
	slices.Sort(paths.missingFolders)
	paths.missingFolders = slices.Compact(paths.missingFolders)
	slices.Sort(paths.missingFiles)
	paths.missingFiles = slices.Compact(paths.missingFiles)
	return paths
}

// protect adds a path if it is below a writable root. If it does not exist, file reports whether it
// would be a file.
func (p *pathPlan) protect(path string, file bool) {
	if !slices.ContainsFunc(p.writable, func(root string) bool { return within(path, root) }) {
		return
	}
	if file && placeholders.has(path) {
		p.missingFiles = append(p.missingFiles, path)
		return
	}
	if info, err := os.Lstat(path); err == nil {
		if filepath.Base(path) == gitName && maybePlaceholder(path) {
			p.missingFolders = append(p.missingFolders, path)
			return
		}
		p.protected = append(p.protected, path)
		if info.Mode()&os.ModeSymlink != 0 {
			p.symlinks = append(p.symlinks, path)
		}
		return
	}
	for { // find the outermost folder of path that does not exist
		parent := filepath.Dir(path)
		if _, err := os.Lstat(parent); err == nil || parent == path {
			break
		}
		path, file = parent, false
	}
	if file {
		p.missingFiles = append(p.missingFiles, path)
		return
	}
	p.missingFolders = append(p.missingFolders, path)
}

// lockName adds a folder below a writable root, and those between it and the root, to renameLocked:
// a command that renames one could put another in its place, with another state, configuration or .git.
func (p *pathPlan) lockName(folder string) {
	for _, root := range p.writable {
		for ; folder != root && within(folder, root); folder = filepath.Dir(folder) {
			if info, err := os.Lstat(folder); err == nil && info.IsDir() {
				p.renameLocked = append(p.renameLocked, folder)
			}
		}
	}
}

// maybePlaceholder reports whether a .git is missing, or a folder that may be a placeholder which was left by a killed process.
func maybePlaceholder(git string) bool {
	info, err := os.Lstat(git)
	if err != nil {
		return os.IsNotExist(err)
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return info.IsDir() && os.IsNotExist(err)
}

// protectGit protects the .git and the hooks of the repositories in root, and locks the names of
// the folders above them: otherwise a command could rename such a folder and put a copy with other
// hooks in its place. The repository that contains root may have its hooks below root.
func (p *pathPlan) protectGit(root string) {
	paths := HooksOf(root)
	for _, git := range repositories.find(root) {
		if maybePlaceholder(git) { // it may be being deleted, which a new folder there would prevent
			continue
		}
		paths = append(append(append(paths, gitFolders(git)...), git), HookFolders(filepath.Dir(git))...)
	}
	for _, path := range paths {
		p.protect(path, false)
		p.lockName(filepath.Dir(path))
	}
}

// protectMissingGit protects the .git that root does not have. A root with the sticky bit, such as
// /tmp, is left out: it is shared by all users, and any of them can create a .git there.
func (p *pathPlan) protectMissingGit(root string) {
	info, err := os.Stat(root)
	if err == nil && info.IsDir() && info.Mode()&os.ModeSticky == 0 {
		p.protect(filepath.Join(root, gitName), false)
	}
}

// outermost returns paths without those that are below another one.
func outermost(paths []string) []string {
	var outer []string
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if !slices.ContainsFunc(outer, func(o string) bool { return within(path, o) }) {
			outer = append(outer, path)
		}
	}
	return outer
}
