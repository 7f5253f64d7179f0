package screen

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/link"
)

// When a changed setting counts.
const (
	nextCall = "next model call"
	nextTurn = "next turn"
)

// A setting is one that a command and a row of Settings change.
type setting struct {
	label    string                                      // of the row
	from     string                                      // when a change counts
	value    func(m *Model) string                       // what it is now; "": the default
	possible func(m *Model) []string                     // the values to choose from; nil: any
	open     bool                                        // the host may accept other values, too
	marked   func(m *Model, value string) bool           // a value that counts besides; nil: none
	change   func(m *Model, value string) map[string]any // the patch of a new value
}

// The settings that commands change.
var (
	setModel     = setting{label: "Model", from: nextTurn, value: (*Model).modelName, possible: (*Model).modelNames, open: true, change: member("model")}
	setReasoning = setting{label: "Reasoning", from: nextTurn, value: (*Model).reasoningName, possible: (*Model).reasoningLevels, change: member("thinking")}
	setMode      = setting{label: "Mode", from: nextCall, value: (*Model).modeName, possible: func(*Model) []string { return link.Modes }, change: member("mode")}
	setSandbox   = setting{
		label: "Sandbox", from: nextCall, value: (*Model).sandboxName, possible: func(*Model) []string { return link.Sandboxes },
		change: func(_ *Model, v string) map[string]any { return map[string]any{"sandbox": map[string]any{"kind": v}} },
	}
)

// member returns the patch of a setting of that name.
func member(name string) func(*Model, string) map[string]any {
	return func(_ *Model, v string) map[string]any { return map[string]any{name: v} }
}

// modelNames returns the models that are listed, and the one that the session has.
func (m *Model) modelNames() []string {
	names := m.models.names()
	if current := m.modelName(); current != "" && !slices.Contains(names, current) {
		names = append([]string{current}, names...)
	}
	return names
}

func (m *Model) reasoningLevels() []string { return m.models.levels(m.modelName()) }

// change returns what a command does that changes a setting.
func change(s setting) func(*Model, string) tea.Cmd {
	return func(m *Model, value string) tea.Cmd {
		if value == "" {
			return m.openChoices(s)
		}
		return m.change(s, value)
	}
}

// change changes a setting. A wrong value leaves a line with those that are possible, or the error of the host.
func (m *Model) change(s setting, value string) tea.Cmd {
	var possible []string
	if s.possible != nil {
		possible = s.possible(m)
	}
	if len(possible) > 0 && !s.open && !slices.Contains(possible, value) {
		m.note(levelError, "There is no "+strings.ToLower(s.label)+" "+value+"; possible are "+strings.Join(possible, ", "))
		return nil
	}
	patch := s.change(m, value)
	if m.session == "" {
		maps.Copy(m.chosen, patch)
		m.note(levelInfo, s.label+": "+value+" ("+s.from+")")
		return nil
	}
	session := m.session
	// The record of the change leaves the line.
	return order(m, func(ctx context.Context, h Host) error { return h.Change(ctx, session, patch, 0) }, nil)
}

// chosenText returns a setting of the session that the first prompt makes.
func (m *Model) chosenText(name string) string {
	s, _ := m.chosen[name].(string)
	return s
}

// modelName returns the model of the session.
func (m *Model) modelName() string {
	name := m.state().Settings.Model
	if m.session == "" {
		name = m.chosenText("model")
	}
	if name == "" {
		name = m.models.Default
	}
	return name
}

// modeName returns the permission mode of the session.
func (m *Model) modeName() string {
	mode := m.state().Settings.Mode
	if m.session == "" {
		mode = m.chosenText("mode")
	}
	if mode == "" && m.session == "" {
		mode = "workspace-write"
	}
	return mode
}

// reasoningName returns how much the model reasons.
func (m *Model) reasoningName() string {
	if m.session == "" {
		return m.chosenText("thinking")
	}
	return m.state().Settings.Thinking
}

// sandboxName returns the kind of the sandbox; "": the mode decides.
func (m *Model) sandboxName() string {
	if m.session == "" {
		if p, ok := m.chosen["sandbox"].(map[string]any); ok {
			kind, _ := p["kind"].(string)
			return kind
		}
		return ""
	}
	return m.state().Settings.Sandbox.Kind
}
