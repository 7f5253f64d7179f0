package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/config"
)

// projectServers returns the tool servers that the project in dir names; none if the folder is not trusted. What
// cannot be used is a line in the log, once.
func (a *App) projectServers(dir string) map[string]config.MCPServer {
	path := filepath.Join(dir, config.ProjectServersFile)
	if _, err := os.Lstat(path); dir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !a.Settings.Trusts(dir) {
		a.warnProject(path, "the project names tool servers, which are not started: its folder is not trusted",
			"file", path, "to trust it", fmt.Sprintf("add the folder to trusted_folders in %s", a.Settings.File))
		return nil
	}
	servers, err := config.ReadProjectServers(path)
	if err != nil {
		a.warnProject(path, "the tool servers of the project cannot be used", "error", err)
	}
	return servers
}

// warnProject logs what is wrong with a file of a project, once for each process.
func (a *App) warnProject(path, text string, details ...any) {
	if _, warned := a.warnedProjects.LoadOrStore(path, true); !warned {
		a.Log.Warn(text, details...)
	}
}

// ServersIn returns the tool servers of sessions in dir by name: the user's, and those of a trusted project under
// other names.
func (a *App) ServersIn(dir string) map[string]config.MCPServer {
	servers := maps.Clone(a.projectServers(dir))
	if servers == nil {
		servers = map[string]config.MCPServer{}
	}
	maps.Copy(servers, a.Settings.MCPServers)
	return servers
}

// ServersHere is ServersIn for the folder that the program was started in.
func (a *App) ServersHere() map[string]config.MCPServer {
	dir, err := os.Getwd()
	if err != nil {
		return a.Settings.MCPServers
	}
	return a.ServersIn(dir)
}
