package app

import (
	"errors"
	"os"

	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/environ"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
)

// Env returns the surroundings of a session's tool calls. State and configuration are out of their
// reach even when they lie in the workspace.
func (a *App) Env(dir string) (*tool.Env, error) {
	w, err := workspace.Open(dir, a.private(dir)...)
	if err != nil {
		return nil, err
	}
	if err := w.ProtectFiles(a.credentialFiles()...); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	if w.InHome() {
		a.warnHome.Do(func() {
			a.Log.Warn("the workspace is or contains your home folder: commands and edits can change all files in it except start-up files, keys and "+
				"settings of known programs; use the folder of a project", "workspace", w.Dir())
		})
	}
	return &tool.Env{
		Workspace: w, Spawner: a.Spawner, Temp: a.Temp, Copies: a.copies(), Environ: a.Environ(), Searcher: a.Searcher, PrivateNetwork: a.Settings.PrivateNetwork,
		Background: background.New(), Shell: shell.NewState(a.secrets()...),
		Skills: func() []skill.Skill {
			return a.Skills.Used(a.SkillPlaces(w.Dir()))
		},
	}, nil
}

// Environ returns the environment of programs that are started: without secrets.
func (a *App) Environ() []string {
	base, secrets := os.Environ(), a.secrets()
	return environ.Pass(environ.ForChildren(base, secrets...), base, a.Settings.PassVariables, secrets...)
}

// secrets returns every key that is known.
func (a *App) secrets() []string {
	secrets := a.Models.Secrets()
	if name := a.Settings.Search.APIKeyEnv; name != "" {
		if key := a.getenv(name); key != "" {
			secrets = append(secrets, key)
		}
	}
	return secrets
}
