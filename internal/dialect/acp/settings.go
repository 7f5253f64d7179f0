package acp

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file has the options of sessions that clients show and change.

// The options, by their ids.
const (
	optionMode     = "mode"
	optionModel    = "model"
	optionThinking = "thinking"
	optionSandbox  = "sandbox"
)

// choices is the current values of the options.
type choices struct {
	mode     string
	model    string
	thinking model.Thinking
	sandbox  string
	agent    string // the options of the agent of a back end, and their values
}

var thinkingNames = map[model.Thinking]string{
	model.Off: "Off", model.Minimal: "Minimal", model.Low: "Low", model.Medium: "Medium", model.High: "High", model.XHigh: "Extra high",
}

// choicesOf returns what of settings the options show. Each is one of its option's values.
func (m *models) choicesOf(s event.Settings) choices {
	adopt(&s)
	c := choices{mode: s.Mode, model: cmp.Or(s.Model, m.host.DefaultModel()), sandbox: sandboxChoices[slices.Index(sandboxKinds, s.Sandbox.Kind)].id}
	// A model's own default is not known: it is shown as the level in the middle.
	c.thinking = cmp.Or(m.info(c.model).Level(cmp.Or(s.Thinking, model.Medium)), model.Off)
	for _, o := range m.host.BackendOptions(s) {
		c.agent += o.Setting + "=" + o.Value + "\n"
	}
	return c
}

// configOptions returns the options of the session, complete.
func (s *session) configOptions() []ConfigOption {
	return s.conn.models.options(s.eng.State().Settings)
}

// options returns the options of a session with these settings.
func (m *models) options(settings event.Settings) []ConfigOption {
	now := m.choicesOf(settings)
	mode, _ := findPermissionMode(now.mode)
	all := []ConfigOption{
		{ID: optionMode, Name: "Mode", Category: "mode", Type: "select", CurrentValue: now.mode, Options: modeValues()},
		{ID: optionModel, Name: "Model", Category: "model", Type: "select", CurrentValue: now.model, Options: m.values(now.model)},
		{ID: optionThinking, Name: "Thinking", Category: "thought_level", Type: "select", CurrentValue: string(now.thinking), Options: m.thinkingValues(now.model)},
		{ID: optionSandbox, Name: "Sandbox", Category: "_sandbox", Type: "select", CurrentValue: now.sandbox, Options: mode.values()},
	}
	for _, o := range m.host.BackendOptions(settings) {
		option := ConfigOption{ID: o.Setting, Name: cmp.Or(o.Name, o.ID), Category: "_agent", Type: "select", CurrentValue: o.Value}
		for _, v := range o.Values {
			option.Options = append(option.Options, ConfigValue{v.ID, cmp.Or(v.Name, v.ID), v.Description})
		}
		all = append(all, option)
	}
	return all
}

func modeValues() []ConfigValue {
	values := make([]ConfigValue, len(permissionModes))
	for i, m := range permissionModes {
		values[i] = ConfigValue{m.id, m.name, m.description}
	}
	return values
}

// thinkingValues returns the levels that a model has.
func (m *models) thinkingValues(name string) []ConfigValue {
	values := []ConfigValue{{Value: string(model.Off), Name: thinkingNames[model.Off]}}
	has := m.info(name).Thinking
	for _, level := range model.Levels() {
		if slices.Contains(has, level) {
			values = append(values, ConfigValue{Value: string(level), Name: thinkingNames[level]})
		}
	}
	return values
}

// values returns the sandboxes that fit the mode.
func (m permissionMode) values() []ConfigValue {
	var values []ConfigValue
	for _, c := range sandboxChoices {
		if slices.Contains(m.sandboxes, c.kind) {
			values = append(values, ConfigValue{c.id, c.name, c.description})
		}
	}
	return values
}

// setConfigOption changes an option of a session (session/set_config_option).
func (c *conn) setConfigOption(_ context.Context, id jsonrpc.ID, p *SetConfigOptionParams) {
	s, err := c.find(p.SessionID)
	if err != nil {
		c.fail(id, err)
		return
	}
	edit, err := s.editOf(p)
	if err != nil {
		c.fail(id, err)
		return
	}
	s.change(id, edit, func(settings event.Settings) (update, result any) {
		if p.ConfigID == optionMode {
			update = CurrentModeUpdate{"current_mode_update", settings.Mode}
		}
		return update, SetConfigOptionResult{s.conn.models.options(settings)}
	})
}

// editOf returns the change of settings that a request is for, which is checked.
func (s *session) editOf(p *SetConfigOptionParams) (func(*event.Settings), error) {
	options := s.configOptions()
	at := slices.IndexFunc(options, func(o ConfigOption) bool { return o.ID == p.ConfigID })
	var value string
	switch {
	case at < 0:
		return nil, invalidMember("configId", "is none of configOptions")
	case p.Type != "":
		return nil, invalidMember("type", "must be absent: the option is a list of values")
	case json.Unmarshal(p.Value, &value) != nil || p.Value.Kind() != '"':
		return nil, invalidMember("value", "must be a string")
	case !slices.ContainsFunc(options[at].Options, func(v ConfigValue) bool { return v.Value == value }):
		return nil, invalidMember("value", "is none of the options of "+p.ConfigID)
	}
	return func(settings *event.Settings) {
		switch p.ConfigID {
		case optionMode:
			setMode(settings, value)
		case optionModel:
			settings.Model = value // models get what they have of the level of thinking
		case optionThinking:
			settings.Thinking = model.Thinking(value)
		case optionSandbox:
			adopt(settings) // the client sees them so
			for _, c := range sandboxChoices {
				if c.id == value {
					settings.Sandbox.Kind = c.kind
				}
			}
		default:
			for _, o := range s.conn.models.host.BackendOptions(*settings) {
				if o.Setting == p.ConfigID {
					o.Choose(settings, value)
				}
			}
		}
	}, nil
}

// change changes the settings of the session, and answers with what answer makes of the new ones: an update, which may be
// nil, and then the result.
func (s *session) change(id jsonrpc.ID, edit func(*event.Settings), answer func(event.Settings) (update, result any)) {
	s.pump.Around(func() [][]byte {
		s.mu.Lock()
		defer s.mu.Unlock()
		var changed event.Settings
		err := s.client.Change(func(settings *event.Settings) {
			before := s.conn.models.choicesOf(*settings)
			edit(settings)
			changed = *settings
			if now := s.conn.models.choicesOf(changed); now != before {
				s.view.requested = append(s.view.requested, now)
			}
		})
		if err != nil {
			return [][]byte{s.conn.failLine(s.id, id, err)}
		}
		update, result := answer(changed)
		var lines [][]byte
		if update != nil {
			lines = appendLine(lines, s.updateLine(update))
		}
		return append(lines, s.conn.resultLine(id, result))
	})
}

// settled shows settings that the client did not request, or not with these values.
func (v *view) settled(e event.SessionChanged) {
	before, now := v.choices, v.models.choicesOf(e.Settings)
	v.choices = now
	if now.model != before.model {
		v.window = v.models.info(now.model).ContextWindow
	}
	if e.Client.N == v.client {
		if at := slices.Index(v.requested, now); at >= 0 {
			v.requested = v.requested[at+1:]
			return
		}
	}
	if now.mode != before.mode {
		v.show(CurrentModeUpdate{"current_mode_update", now.mode})
	}
	if now != before {
		v.show(ConfigOptionUpdate{"config_option_update", v.models.options(e.Settings)})
	}
}
