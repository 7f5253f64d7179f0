package main

import (
	"cmp"
	"fmt"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
)

// hooks is who the engine asks; nil: there are no hooks.
func (a *app) hooks() (engine.Hooks, error) {
	hooks, err := a.settings.Hooks.Hooks()
	if err != nil || len(hooks) == 0 && !a.settings.ProjectHooks {
		return nil, err
	}
	options := hook.Options{Hooks: hooks, Spawner: a.spawner, Environ: a.environ(), Log: a.log}
	own, err := hook.New(options)
	if err != nil {
		return nil, err
	}
	return &hookSets{app: a, options: options, own: own, projects: map[string]*hook.Set{}}, nil
}

// examineHooks lists the hooks. Their commands are not shown: they may hold what is private.
func (a *app) examineHooks() []finding {
	var set *hook.Set
	hooks, err := a.settings.Hooks.Hooks()
	if err == nil {
		set, err = hook.New(hook.Options{Hooks: hooks})
	}
	if err != nil {
		return []finding{{Check: "hooks", Detail: err.Error(), Fix: "see docs/hooks.md"}}
	}
	var findings []finding
	for _, moment := range config.HookMoments {
		for _, h := range set.At(moment) {
			detail := h.Name
			if moment == event.BeforeTool || moment == event.AfterTool || moment == event.AtPermission {
				detail += ", of " + cmp.Or(h.Match, "all tools")
			}
			detail += fmt.Sprintf(", at most %v, a failure %s", h.Limit, map[hook.OnFailure]string{hook.FailureAllows: "is ignored", hook.FailureDenies: "denies"}[h.OnFailure])
			findings = append(findings, finding{Check: "hook: " + string(moment), OK: true, Detail: detail})
		}
	}
	if len(findings) == 0 {
		return []finding{{Check: "hooks", OK: true, Detail: "none are configured"}}
	}
	return findings
}
