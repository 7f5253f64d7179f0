package hook

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/event"
)

// ClaudeHooks are hooks as settings files of Claude Code have them, by the names of its events.
type ClaudeHooks map[string][]ClaudeGroup

// A ClaudeGroup is the hooks for some tools.
type ClaudeGroup struct {
	Matcher string        `json:"matcher,omitzero"`
	Hooks   []ClaudeEntry `json:"hooks"`
}

// A ClaudeEntry is one hook.
type ClaudeEntry struct {
	Type          string    `json:"type"` // command; there are others
	Command       string    `json:"command,omitzero"`
	Timeout       float64   `json:"timeout,omitzero"` // seconds
	StatusMessage string    `json:"statusMessage,omitzero"`
	OnFailure     OnFailure `json:"on_failure,omitzero"` // ours

	Unknown map[string]jsontext.Value `json:",embed"`
}

// claudeLimit is the timeout of a hook for Claude Code that does not set one.
const claudeLimit = time.Minute

// Hooks returns the hooks in our form. The error names the entry that cannot be used.
func (c ClaudeHooks) Hooks() (map[event.HookMoment][]Hook, error) {
	hooks := map[event.HookMoment][]Hook{}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		moment, ok := momentOf(name)
		if !ok {
			return nil, fmt.Errorf("hooks.%s: there is no such event here", name)
		}
		for i, group := range c[name] {
			for j, entry := range group.Hooks {
				if err := entry.check(); err != nil {
					return nil, fmt.Errorf("hooks.%s[%d].hooks[%d]: %w", name, i, j, err)
				}
				h := entry.hook(name, group.Matcher)
				if _, err := prepare(moment, j, h); err != nil {
					return nil, fmt.Errorf("hooks.%s[%d].hooks[%d]: %w", name, i, j, err)
				}
				hooks[moment] = append(hooks[moment], h)
			}
		}
	}
	return hooks, nil
}

func (e ClaudeEntry) check() error {
	for _, name := range slices.Sorted(maps.Keys(e.Unknown)) {
		return fmt.Errorf("there is no setting %q", name)
	}
	return e.checkType()
}

func (e ClaudeEntry) checkType() error {
	if e.Type != "command" {
		return fmt.Errorf("type: %q is not supported: expected command", e.Type)
	}
	return nil
}

func (e ClaudeEntry) hook(name, matcher string) Hook {
	h := Hook{Event: name, Match: matcher, Command: e.Command, Limit: time.Duration(e.Timeout * float64(time.Second)), OnFailure: e.OnFailure}
	if h.Limit == 0 {
		h.Limit = claudeLimit
	}
	return h
}

// ReadClaudeSettings reads the hooks of a settings file of Claude Code. What is not supported is
// left out, and named in the problems; an entry of PreToolUse or PermissionRequest that cannot be
// used is an error, since it may be a guard.
func ReadClaudeSettings(text []byte) (hooks map[event.HookMoment][]Hook, problems []string, err error) {
	var settings struct {
		Hooks map[string]jsontext.Value `json:"hooks"`
		Off   bool                      `json:"disableAllHooks"`
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil, nil, fmt.Errorf("%s", configfile.Problem(err, &settings, "member"))
	}
	if settings.Off {
		return nil, nil, nil
	}
	hooks = map[event.HookMoment][]Hook{}
	for _, name := range slices.Sorted(maps.Keys(settings.Hooks)) {
		moment, ok := momentOf(name)
		if !ok {
			problems = append(problems, fmt.Sprintf("hooks.%s: the event is not supported", name))
			continue
		}
		found, troubles := readClaudeEvent(name, moment, settings.Hooks[name])
		if len(troubles) > 0 && (moment == event.BeforeTool || moment == event.AtPermission && name != notification) {
			return nil, nil, fmt.Errorf("%s", troubles[0])
		}
		hooks[moment], problems = append(hooks[moment], found...), append(problems, troubles...)
	}
	return hooks, problems, nil
}

// readClaudeEvent reads the hooks of one event, and returns why others cannot be used.
func readClaudeEvent(name string, moment event.HookMoment, text jsontext.Value) (hooks []Hook, problems []string) {
	var groups []ClaudeGroup
	if err := json.Unmarshal(text, &groups); err != nil {
		return nil, []string{"hooks." + name + ": " + configfile.Problem(err, &groups, "member")}
	}
	for i, group := range groups {
		for j, entry := range group.Hooks {
			err := entry.checkType()
			h := entry.hook(name, group.Matcher)
			if err == nil {
				_, err = prepare(moment, j, h)
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("hooks.%s[%d].hooks[%d]: %v", name, i, j, err))
				continue
			}
			hooks = append(hooks, h)
		}
	}
	return hooks, problems
}
