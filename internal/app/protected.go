package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/config"
)

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
