package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/backend/drivers"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tool/workspace"
)

// states returns the state folders that are known, that of this process first: other ones have hosts, whose tokens and sockets give
// all rights, and settings and grants of the processes that use them. All are without symlinks.
func (a *App) states() []string { return reachable(a.Settings.StateFolders()) }

// stores returns the folders of stores outside of the state folder: that of this process, and that of the configuration. They are without
// symlinks.
func (a *App) stores() []string {
	var folders []string
	if a.StoreAddress.Folder != "" {
		folders = append(folders, a.StoreAddress.Folder)
	}
	if address, err := a.Settings.NamedStore().StoreAddress(); err == nil && address.Folder != "" {
		if path, err := filepath.Abs(address.Folder); err == nil {
			folders = append(folders, path)
		}
	}
	return reachable(folders)
}

// reachable returns paths without symlinks, each once. Those that this process cannot reach are left out: its tools and commands cannot
// reach them either.
func reachable(paths []string) (found []string) {
	for _, path := range paths {
		real, err := workspace.RealPath(path)
		if err != nil || slices.Contains(found, real) {
			continue
		}
		if _, err := os.Stat(real); err == nil || errors.Is(err, fs.ErrNotExist) {
			found = append(found, real)
		}
	}
	return found
}

// hidden returns the folders that no confined command or agent of a back end can read, since they contain the tokens of a host,
// which run commands without a sandbox: the state folders, and stores in other folders. Readable are those below them that they
// need: the user's skills, which can have scripts, and what agents load. All are without symlinks.
func (a *App) hidden() (folders, readable []string) {
	paths := append([]string{filepath.Join(a.Settings.Home, "skills"), drivers.Folder(a.Settings.Home)}, a.SkillPlaces("").Paths...)
	return reachable(append(a.states(), a.stores()...)), reachable(paths)
}

// copies returns the folders beside the state folders in which tasks work in copies of projects, and git in what belongs to them: absolute,
// without symlinks. A session in one of them can change its own copy.
func (a *App) copies() []string {
	var paths []string
	for _, state := range a.Settings.StateFolders() {
		paths = append(paths, filepath.Clean(state)+treesSuffix, filepath.Clean(state)+batchSuffix)
	}
	return reachable(paths)
}

// TreesFolder returns the folder of copies of this process. A state folder in another one, as temporary ones are, has it beside the
// outer one: what is in a state folder is no workspace.
func (a *App) TreesFolder() string {
	home := filepath.Clean(a.Settings.Home)
	real, err := workspace.RealPath(home)
	for _, state := range a.Settings.StateFolders()[1:] {
		if outer, outerErr := workspace.RealPath(state); err == nil && outerErr == nil && real != outer && workspace.Below(outer, real) {
			return filepath.Clean(state) + treesSuffix
		}
	}
	return home + treesSuffix
}

// BatchFolder returns the folder in which tasks of batches work, beside the state folder.
func (a *App) BatchFolder() string { return filepath.Clean(a.Settings.Home) + batchSuffix }

// The ends of the names of these folders.
const (
	treesSuffix = ".trees"
	batchSuffix = ".batch"
)

// private returns the paths that no tool of a session in dir reads or writes without an
// approval: the state folders, the folder of the configuration, and its file where that lies
// elsewhere, since whatever writes them starts commands and grants itself what it likes; the
// credentials of other agents and of the stores; keys that the command line names; stores in other folders; a.Hidden; and files of a trusted project whose hooks
// run or that name tool servers. What this process cannot reach its tools cannot either.
func (a *App) private(dir string) []string {
	paths := slices.Concat([]string{a.Settings.Home}, a.Settings.SecretFiles(), reachable(a.Settings.KeyFiles), a.states(), a.stores(), reachable(a.Settings.NamedStore().SecretFiles()))
	for _, copies := range a.copies() {
		if real, err := workspace.RealPath(dir); err != nil || !workspace.Below(copies, real) {
			paths = append(paths, copies)
		}
	}
	for _, path := range []string{config.Folder(os.Getenv), a.Settings.File} {
		path, err := filepath.Abs(path)
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			paths = append(paths, path)
		}
	}
	paths = append(paths, a.credentialPaths(false)...)
	hidden := a.Hidden
	if a.Settings.ProjectHooks && a.Settings.Trusts(dir) {
		hidden = append(slices.Clip(hidden), claudeSettings...)
	}
	if a.Settings.Trusts(dir) {
		hidden = append(slices.Clip(hidden), config.ProjectServersFile)
	}
	for _, name := range hidden {
		if path, err := filepath.Abs(filepath.Join(dir, name)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// credentialFiles are the files in which other agents store keys, also those that do not exist: a file in the place of one has an agent
// work with another account.
func (a *App) credentialFiles() []string { return a.credentialPaths(true) }

// credentialPaths returns the files of a.credentials, or the folders that exist.
func (a *App) credentialPaths(files bool) (paths []string) {
	for _, name := range a.credentials {
		path, err := filepath.Abs(filepath.Join(config.HomeDir(os.Getenv), name))
		if err != nil || files != (filepath.Ext(strings.TrimPrefix(filepath.Base(name), ".")) != "") {
			continue
		}
		if _, err := os.Stat(path); err == nil || files && errors.Is(err, fs.ErrNotExist) {
			paths = append(paths, path)
		}
	}
	return paths
}
