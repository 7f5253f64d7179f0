package main

import (
	"cmp"
	"fmt"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
)

// HookSettings is the commands that are asked at certain moments, docs/hooks.md. They are
// the user's: nothing that a project holds can add one.
type HookSettings struct {
	Prompt     []HookSetting `json:"prompt,omitzero"`
	BeforeTool []HookSetting `json:"before_tool,omitzero"`
	AfterTool  []HookSetting `json:"after_tool,omitzero"`
	TurnEnd    []HookSetting `json:"turn_end,omitzero"`
}

// HookSetting is one of them.
type HookSetting struct {
	Name      string         `json:"name,omitzero"`
	Match     string         `json:"match,omitzero"`      // the tools it is asked about; default: all
	Command   string         `json:"command"`             // shell text
	TimeoutMS int            `json:"timeout_ms,omitzero"` // default: 10000
	OnFailure hook.OnFailure `json:"on_failure,omitzero"` // allow or deny; default: deny before tools, else allow
}

// moments is the order that people are shown hooks in.
var moments = []event.HookMoment{event.AtPrompt, event.BeforeTool, event.AfterTool, event.AtTurnEnd}

func (s HookSettings) hooks() map[event.HookMoment][]hook.Hook {
	hooks := map[event.HookMoment][]hook.Hook{}
	for moment, list := range map[event.HookMoment][]HookSetting{
		event.AtPrompt: s.Prompt, event.BeforeTool: s.BeforeTool, event.AfterTool: s.AfterTool, event.AtTurnEnd: s.TurnEnd,
	} {
		for _, h := range list {
			hooks[moment] = append(hooks[moment], hook.Hook{
				Name: h.Name, Match: h.Match, Command: h.Command, Limit: time.Duration(h.TimeoutMS) * time.Millisecond, OnFailure: h.OnFailure,
			})
		}
	}
	return hooks
}

func (s HookSettings) check() error {
	_, err := hook.New(hook.Options{Hooks: s.hooks()})
	return err
}

// hooks is who the engine asks; nil: there are no hooks.
func (a *app) hooks() (engine.Hooks, error) {
	hooks := a.settings.Hooks.hooks()
	if len(hooks) == 0 {
		return nil, nil
	}
	return hook.New(hook.Options{Hooks: hooks, Spawner: a.spawner, Environ: a.environ(), Log: a.log})
}

// examineHooks lists the hooks. Their commands are not shown: they may hold what is private.
func (a *app) examineHooks() []finding {
	set, err := hook.New(hook.Options{Hooks: a.settings.Hooks.hooks()})
	if err != nil {
		return []finding{{"hooks", false, err.Error(), "see docs/hooks.md"}}
	}
	var findings []finding
	for _, moment := range moments {
		for _, h := range set.At(moment) {
			detail := h.Name
			if moment == event.BeforeTool || moment == event.AfterTool {
				detail += ", of " + cmp.Or(h.Match, "all tools")
			}
			detail += fmt.Sprintf(", at most %v, a failure %s", h.Limit, map[hook.OnFailure]string{hook.FailureAllows: "is ignored", hook.FailureDenies: "denies"}[h.OnFailure])
			findings = append(findings, finding{"hook: " + string(moment), true, detail, ""})
		}
	}
	if len(findings) == 0 {
		return []finding{{"hooks", true, "none are configured", ""}}
	}
	return findings
}
