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

// private returns the paths that no tool of a session in workspace reads or writes without an
// approval: the state folder, the folder of the configuration, and its file where that lies
// elsewhere, since whatever writes them starts commands and grants itself what it likes; the
// credentials of other agents and of the store; a store in another folder; a.Hidden; and files of a trusted project whose hooks
// run or that name tool servers. What this process cannot reach its tools cannot either.
func (a *App) private(workspace string) []string {
	paths := append([]string{a.Settings.Home}, a.Settings.SecretFiles()...)
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
	if a.Settings.ProjectHooks && a.Settings.Trusts(workspace) {
		hidden = append(slices.Clip(hidden), claudeSettings...)
	}
	if a.Settings.Trusts(workspace) {
		hidden = append(slices.Clip(hidden), config.ProjectServersFile)
	}
	for _, name := range hidden {
		if path, err := filepath.Abs(filepath.Join(workspace, name)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
