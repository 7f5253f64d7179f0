package doctor

import (
	"cmp"
	"fmt"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
)

// examineHooks lists the hooks. Their commands are not shown: they may hold what is private.
func examineHooks(a *app.App) []cli.Finding {
	var set *hook.Set
	hooks, err := a.Settings.Hooks.Hooks()
	if err == nil {
		set, err = hook.New(hook.Options{Hooks: hooks})
	}
	if err != nil {
		return []cli.Finding{{Check: "hooks", Detail: err.Error(), Fix: "see docs/hooks.md"}}
	}
	var findings []cli.Finding
	for _, moment := range config.HookMoments {
		for _, h := range set.At(moment) {
			detail := h.Name
			if moment == event.BeforeTool || moment == event.AfterTool || moment == event.AtPermission {
				detail += ", of " + cmp.Or(h.Match, "all tools")
			}
			detail += fmt.Sprintf(", at most %v, a failure %s", h.Limit, map[hook.OnFailure]string{hook.FailureAllows: "is ignored", hook.FailureDenies: "denies"}[h.OnFailure])
			findings = append(findings, cli.Finding{Check: "hook: " + string(moment), OK: true, Detail: detail})
		}
	}
	if len(findings) == 0 {
		return []cli.Finding{{Check: "hooks", OK: true, Detail: "none are configured"}}
	}
	return findings
}
