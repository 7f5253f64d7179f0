package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/record"
)

// The values that settings can have in docs/native.md.
var (
	modes     = []string{"read-only", "plan", "workspace-write", "prompt", "danger-full-access"}
	sandboxes = []string{"read-only", "workspace-write", "full-access"}
	reasoning = []string{"off", "minimal", "low", "medium", "high", "xhigh"}
)

// When a changed setting counts.
const (
	nextCall = "next model call"
	nextTurn = "next turn"
)

// A setting is one that a command and a row of Settings change.
type setting struct {
	label string // of the row
	from  string // when a change counts
	value func(m *Model) string
	// possible returns the values to choose from; nil: any.
	possible func(m *Model) []string
	patch    func(value string) params
}

var (
	setModel = setting{
		"Model", nextCall, (*Model).modelName, func(m *Model) []string { return m.models.names() },
		func(v string) params { return params{"model": v} },
	}
	setReasoning = setting{
		"Reasoning", nextCall, (*Model).reasoningName, func(m *Model) []string { return m.models.levels(m.modelName()) },
		func(v string) params { return params{"thinking": v} },
	}
	setMode = setting{
		"Mode", nextCall, (*Model).modeName, func(*Model) []string { return modes },
		func(v string) params { return params{"mode": v} },
	}
	setSandbox = setting{
		"Sandbox", nextTurn, (*Model).sandboxName, func(*Model) []string { return sandboxes },
		func(v string) params { return params{"sandbox": params{"kind": v}} },
	}
)

// change returns what a command does that changes a setting.
func change(s setting) func(*Model, string) tea.Cmd {
	return func(m *Model, value string) tea.Cmd {
		if value == "" {
			return m.openChoices(s)
		}
		return m.change(s, value)
	}
}

// change changes a setting. A wrong value leaves a line with those that are possible.
func (m *Model) change(s setting, value string) tea.Cmd {
	possible := s.possible(m)
	if len(possible) > 0 && !slices.Contains(possible, value) {
		m.note(levelError, "There is no "+strings.ToLower(s.label)+" "+value+"; possible are "+strings.Join(possible, ", "))
		return nil
	}
	changed := func(m *Model, _ struct{}, err error) tea.Cmd {
		if err != nil {
			return failed(m, struct{}{}, err)
		}
		m.note(levelInfo, s.label+": "+value+", from the "+s.from)
		return nil
	}
	patch := s.patch(value)
	if m.session == "" {
		for name, v := range patch {
			m.chosen[name] = v
		}
		return changed(m, struct{}{}, nil)
	}
	return request(m, "session/change", m.about(params{"settings": patch}), changed)
}

// settings are those of a session that record.Settings does not have.
type settings struct {
	Sandbox struct {
		Kind    string `json:"kind"`
		Network bool   `json:"network"`
	} `json:"sandbox"`
	Groups  []string                  `json:"tool_groups"`
	Options map[string]jsontext.Value `json:"options"`
	Values  record.Settings           `json:"-"`
}

// read reads the settings of a record that has them.
func (s *settings) read(rec record.Record) {
	var own struct {
		Settings settings `json:"settings"`
	}
	var shared struct {
		Settings record.Settings `json:"settings"`
	}
	if rec.Decode(&own) == nil && rec.Decode(&shared) == nil {
		*s = own.Settings
		s.Values = shared.Settings
	}
}

// loadSettings requests the settings of the session.
func (m *Model) loadSettings() tea.Cmd {
	session := m.session
	return request(m, "session/state", m.about(nil), func(m *Model, result jsontext.Value, err error) tea.Cmd {
		if err == nil && session == m.session {
			m.settings.read(record.Record{Data: result})
		}
		return nil
	})
}

// chosenText returns a setting of the session that the first prompt makes.
func (m *Model) chosenText(name string) string {
	s, _ := m.chosen[name].(string)
	return s
}

// modelName returns the model of the session.
func (m *Model) modelName() string {
	name := m.settings.Values.Model
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
	mode := m.settings.Values.Mode
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
	return m.settings.Values.Thinking
}

// sandboxName returns the kind of the sandbox; "": the mode decides.
func (m *Model) sandboxName() string {
	if m.session == "" {
		if p, ok := m.chosen["sandbox"].(params); ok {
			kind, _ := p["kind"].(string)
			return kind
		}
		return ""
	}
	return m.settings.Sandbox.Kind
}
