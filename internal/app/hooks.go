package app

import (
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/hook"
)

// hooks returns what the engine asks before and after calls and at other moments; nil: there are no hooks.
func (a *App) hooks() (engine.Hooks, error) {
	hooks, err := a.Settings.Hooks.Hooks()
	if err != nil || len(hooks) == 0 && !a.Settings.ProjectHooks {
		return nil, err
	}
	options := hook.Options{Hooks: hooks, Spawner: a.Spawner, Environ: a.Environ(), Log: a.Log}
	own, err := hook.New(options)
	if err != nil {
		return nil, err
	}
	return &hookSets{app: a, options: options, own: own, projects: map[string]*hook.Set{}}, nil
}
