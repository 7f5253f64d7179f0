package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/config"
)

// agentCredentials are the files and folders below the home folder in which agents whose
// protocols this program speaks, and others of their family, keep keys and sign-ins.
var agentCredentials = []string{
	".scaiflux", ".codex/auth.json", ".loaf/auth.json", ".loaf/secrets-fallback.json", ".pi/agent/auth.json", ".omp/agent/auth.json",
	".omp/agent/agent.db", ".claude/.credentials.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/opencode/auth.json",
}

// private returns the paths that no tool of a session in workspace reads or writes without an
// approval: the state folder, the folder of the configuration, and its file where that lies
// elsewhere, since whatever writes them starts commands and grants itself what it likes; the
// credentials of other agents that there are; a.hidden; and files of a trusted project whose hooks run or that name tool servers. What this process cannot reach
// its tools cannot either.
func (a *app) private(workspace string) []string {
	paths := []string{a.settings.Home}
	for _, path := range []string{config.Folder(os.Getenv), a.settings.File} {
		path, err := filepath.Abs(path)
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			paths = append(paths, path)
		}
	}
	for _, name := range agentCredentials {
		path, err := filepath.Abs(filepath.Join(config.HomeDir(os.Getenv), name))
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	hidden := a.hidden
	if a.settings.ProjectHooks && a.settings.Trusts(workspace) {
		hidden = append(slices.Clip(hidden), claudeSettings...)
	}
	if a.settings.Trusts(workspace) {
		hidden = append(slices.Clip(hidden), config.ProjectServersFile)
	}
	for _, name := range hidden {
		if path, err := filepath.Abs(filepath.Join(workspace, name)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
