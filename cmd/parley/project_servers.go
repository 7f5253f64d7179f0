package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/tool"
)

// projectServersFile is where a project names tool servers, as Claude Code and others read it.
const projectServersFile = ".mcp.json"

// maxProjectServers bounds it, in bytes.
const maxProjectServers = 1 << 20

// projectServers returns the tool servers that the project in dir names; none if the folder is not trusted. What
// cannot be used is a line in the log, once.
func (a *app) projectServers(dir string) map[string]MCPServer {
	path := filepath.Join(dir, projectServersFile)
	if _, err := os.Lstat(path); dir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !a.trusts(dir) {
		a.warnProject(path, "the project names tool servers, which are not started: its folder is not trusted",
			"file", path, "to trust it", fmt.Sprintf("add the folder to trusted_folders in %s", a.settings.path))
		return nil
	}
	servers, err := readProjectServers(path)
	if err != nil {
		a.warnProject(path, "the tool servers of the project cannot be used", "error", err)
	}
	return servers
}

// readProjectServers reads a file of a project. On an error it returns the servers that can be used.
func readProjectServers(path string) (map[string]MCPServer, error) {
	text, err := regular.ReadFileNoFollow(path, maxProjectServers)
	if err != nil {
		return nil, err
	}
	var named ServerMaps
	file, err := configfile.Decode(path, text, &named, json.RejectUnknownMembers(true))
	if err != nil {
		return nil, err
	}
	located := func(err error) error {
		if e, ok := errors.AsType[*settingError](err); ok {
			return fmt.Errorf("%s:%d: %w", path, file.Line(e.setting), err)
		}
		return err
	}
	servers, err := named.settle(nil)
	err = located(err)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if wrong := servers[name].check(name); wrong != nil {
			delete(servers, name)
			err = errors.Join(err, located(wrong))
		}
	}
	return servers, err
}

// warnProject logs what is wrong with a file of a project, once for each process.
func (a *app) warnProject(path, text string, details ...any) {
	if _, warned := a.warnedProjects.LoadOrStore(path, true); !warned {
		a.log.Warn(text, details...)
	}
}

// serversIn returns the tool servers of sessions in dir by name: the user's, and those of a trusted project under
// other names.
func (a *app) serversIn(dir string) map[string]MCPServer {
	servers := maps.Clone(a.projectServers(dir))
	if servers == nil {
		servers = map[string]MCPServer{}
	}
	maps.Copy(servers, a.settings.MCPServers)
	return servers
}

// serversHere is serversIn for the folder that the program was started in.
func (a *app) serversHere() map[string]MCPServer {
	dir, err := os.Getwd()
	if err != nil {
		return a.settings.MCPServers
	}
	return a.serversIn(dir)
}

// enabledServers returns the servers that are not disabled, sorted by name, with the variables that their settings
// name.
func enabledServers(servers map[string]MCPServer, getenv func(string) string) []tool.Server {
	var enabled []tool.Server
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if m := servers[name]; !m.Disabled {
			enabled = append(enabled, m.server(name, getenv))
		}
	}
	return enabled
}
