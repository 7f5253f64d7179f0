package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/spelling"
)

// HookSettings is the commands that are asked at certain moments, docs/hooks.md. They are
// the user's: nothing that a project holds can add one.
type HookSettings struct {
	Prompt     []HookSetting `json:"prompt,omitzero"`
	BeforeTool []HookSetting `json:"before_tool,omitzero"`
	AfterTool  []HookSetting `json:"after_tool,omitzero"`
	TurnEnd    []HookSetting `json:"turn_end,omitzero"`

	SessionStart  []HookSetting `json:"session_start,omitzero"`
	SessionEnd    []HookSetting `json:"session_end,omitzero"`
	BeforeCompact []HookSetting `json:"before_compact,omitzero"`
	Permission    []HookSetting `json:"permission,omitzero"`

	// Claude is hooks as Claude Code has them, by its names of events.
	Claude map[string]jsontext.Value `json:",embed"`
}

// HookSetting is one of them.
type HookSetting struct {
	Name      string         `json:"name,omitzero"`
	Match     string         `json:"match,omitzero"`      // the tools it is asked about; default: all
	Command   string         `json:"command"`             // shell text
	TimeoutMS int            `json:"timeout_ms,omitzero"` // default: 10000
	OnFailure hook.OnFailure `json:"on_failure,omitzero"` // allow or deny; default: deny before tools, else allow
}

// HookMoments is the order that the user is shown hooks in.
var HookMoments = []event.HookMoment{
	event.AtSessionStart, event.AtPrompt, event.BeforeTool, event.AtPermission, event.AfterTool, event.BeforeCompact, event.AtTurnEnd, event.AtSessionEnd,
}

func (s HookSettings) Hooks() (map[event.HookMoment][]hook.Hook, error) {
	hooks := map[event.HookMoment][]hook.Hook{}
	for moment, list := range map[event.HookMoment][]HookSetting{
		event.AtPrompt: s.Prompt, event.BeforeTool: s.BeforeTool, event.AfterTool: s.AfterTool, event.AtTurnEnd: s.TurnEnd,
		event.AtSessionStart: s.SessionStart, event.AtSessionEnd: s.SessionEnd, event.BeforeCompact: s.BeforeCompact, event.AtPermission: s.Permission,
	} {
		for _, h := range list {
			hooks[moment] = append(hooks[moment], hook.Hook{
				Name: h.Name, Match: h.Match, Command: h.Command, Limit: time.Duration(h.TimeoutMS) * time.Millisecond, OnFailure: h.OnFailure,
			})
		}
	}
	if _, err := hook.New(hook.Options{Hooks: hooks}); err != nil {
		return nil, err // with the position in its own list
	}
	claude, err := s.claude()
	if err != nil {
		return nil, err
	}
	for moment, list := range claude {
		hooks[moment] = append(hooks[moment], list...)
	}
	return hooks, nil
}

// claude returns the hooks that are configured as Claude Code has them.
func (s HookSettings) claude() (map[event.HookMoment][]hook.Hook, error) {
	configured := hook.ClaudeHooks{}
	for name, value := range s.Claude {
		if !slices.Contains(hook.ClaudeEvents(), name) {
			problem := "there is no such moment or event"
			if near := spelling.Nearest(name, append(hook.ClaudeEvents(), momentNames()...)); near != "" {
				problem += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("hooks.%s: %s", name, problem)
		}
		var groups []hook.ClaudeGroup
		if err := json.Unmarshal(value, &groups, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("hooks.%s: %s", name, configfile.Problem(err, &groups, "setting"))
		}
		configured[name] = groups
	}
	return configured.Hooks()
}

func momentNames() []string {
	var names []string
	for _, m := range HookMoments {
		names = append(names, string(m))
	}
	return names
}

func (s HookSettings) check() error {
	_, err := s.Hooks()
	return err
}

// checkHooks takes the setting from the error's text, which begins with it.
func (c *Config) checkHooks() error {
	err := c.Hooks.check()
	if err == nil {
		return nil
	}
	setting, problem, _ := strings.Cut(err.Error(), ": ")
	return invalid(setting, errors.New(problem))
}
