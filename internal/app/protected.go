package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/backend/drivers"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tool/workspace"
)

// hidden returns the folders that no confined command or agent of a back end can read, since they contain the tokens of a host,
// which run commands without a sandbox: the state folder, and a store in another folder. Readable are those below them that they
// need: the user's skills, which can have scripts, and what agents load. All are without symlinks.
func (a *App) hidden() (folders, readable []string) {
	add := func(list []string, path string) []string {
		real, err := workspace.RealPath(path)
		if err != nil {
			return list
		}
		return append(list, real)
	}
	folders = add(nil, a.Settings.Home)
	if a.StoreAddress.Folder != "" {
		folders = add(folders, a.StoreAddress.Folder)
	}
	for _, path := range append([]string{filepath.Join(a.Settings.Home, "skills"), drivers.Folder(a.Settings.Home)}, a.SkillPlaces("").Paths...) {
		readable = add(readable, path)
	}
	return folders, readable
}

// copies returns the folders beside the state folder in which tasks work in copies of projects, and git in what belongs to them: absolute,
// without symlinks. A session in one of them can change its own copy.
func (a *App) copies() (folders []string) {
	for _, suffix := range []string{treesSuffix, batchSuffix} {
		if real, err := workspace.RealPath(filepath.Clean(a.Settings.Home) + suffix); err == nil {
			folders = append(folders, real)
		}
	}
	return folders
}

// The ends of the names of these folders.
const (
	treesSuffix = ".trees"
	batchSuffix = ".batch"
)

// private returns the paths that no tool of a session in dir reads or writes without an
// approval: the state folder, the folder of the configuration, and its file where that lies
// elsewhere, since whatever writes them starts commands and grants itself what it likes; the
// credentials of other agents and of the store; a store in another folder; a.Hidden; and files of a trusted project whose hooks
// run or that name tool servers. What this process cannot reach its tools cannot either.
func (a *App) private(dir string) []string {
	paths := append([]string{a.Settings.Home}, a.Settings.SecretFiles()...)
	for _, copies := range a.copies() {
		if real, err := workspace.RealPath(dir); err != nil || !workspace.Below(copies, real) {
			paths = append(paths, copies)
		}
	}
	if a.StoreAddress.Folder != "" {
		paths = append(paths, a.StoreAddress.Folder)
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
	for _, name := range a.credentials {
		path, err := filepath.Abs(filepath.Join(config.HomeDir(os.Getenv), name))
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
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
