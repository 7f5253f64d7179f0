package acp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// Categories of selectors, as those of config options.
const (
	categoryMode     = "mode"
	categoryModel    = "model"
	categoryThinking = "thought_level"
)

// settings are what can be chosen for a session, as the agent has reported it. Its methods are safe for concurrent use.
type settings struct {
	mu       sync.Mutex
	options  []configOption
	modes    *modes
	models   *models
	compacts bool              // the agent has the command compact
	before   map[string]string // values of selectors that were changed, before that
}

// A selector is a value of a session that can be chosen.
type selector struct {
	method   string // by which it is set
	category string
	boolean  bool
	backend.Option
}

// begin takes what the agent reports of a session that begins.
func (s *settings) begin(r sessionResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modes, s.models, s.before = r.Modes, r.Models, map[string]string{}
	if r.ConfigOptions != nil {
		s.options = r.ConfigOptions
	}
}

// observe takes what an update says of the settings.
func (s *settings) observe(u update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch u.Kind {
	case "current_mode_update":
		s.setMode(u.CurrentModeID)
	case "config_option_update":
		s.options = u.ConfigOptions
	case "available_commands_update":
		s.compacts = false
		for _, c := range u.AvailableCommands {
			s.compacts = s.compacts || c.Name == compactCommand
		}
	}
}

// setMode stores the mode of the session. The caller holds the lock.
func (s *settings) setMode(id string) {
	if s.modes != nil {
		s.modes.CurrentModeID = id
	}
	for i, o := range s.options {
		if o.Category == categoryMode {
			s.options[i].CurrentValue = quote(id)
		}
	}
}

// quote returns a text as JSON.
func quote(text string) jsontext.Value {
	value, _ := json.Marshal(text) // of a text that was JSON: cannot fail
	return value
}

func (s *settings) canCompact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compacts
}

// selectors returns what can be chosen. Config options replace the models and the modes of older agents.
func (s *settings) selectors() []selector {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []selector
	for _, o := range s.options {
		all = append(all, selectorOf(o))
	}
	has := func(category string) bool {
		return slices.ContainsFunc(all, func(one selector) bool { return one.category == category || one.ID == category })
	}
	if s.models != nil && !has(categoryModel) {
		one := selector{method: "session/set_model", category: categoryModel, Option: backend.Option{ID: categoryModel, Name: "Model", Value: s.models.CurrentModelID}}
		for _, m := range s.models.AvailableModels {
			one.Values = append(one.Values, backend.OptionValue{ID: m.ModelID, Name: m.Name, Description: m.Description})
		}
		all = append(all, one)
	}
	if s.modes != nil && !has(categoryMode) {
		one := selector{method: "session/set_mode", category: categoryMode, Option: backend.Option{ID: categoryMode, Name: "Mode", Value: s.modes.CurrentModeID}}
		for _, m := range s.modes.AvailableModes {
			one.Values = append(one.Values, backend.OptionValue{ID: m.ID, Name: m.Name, Description: m.Description})
		}
		all = append(all, one)
	}
	return all
}

// selectorOf returns a config option as a selector.
func selectorOf(o configOption) selector {
	one := selector{method: "session/set_config_option", category: o.Category, Option: backend.Option{ID: o.ID, Name: o.Name, Description: o.Description}}
	if o.Type == "boolean" {
		one.boolean, one.Value = true, string(o.CurrentValue)
		one.Values = []backend.OptionValue{{ID: "true", Name: "On"}, {ID: "false", Name: "Off"}}
		return one
	}
	_ = json.Unmarshal(o.CurrentValue, &one.Value) // of another type: the value is not known
	for _, v := range o.Options {
		group := []configValue{v}
		if v.Options != nil {
			group = v.Options
		}
		for _, v := range group {
			one.Values = append(one.Values, backend.OptionValue{ID: v.Value, Name: v.Name, Description: v.Description})
		}
	}
	return one
}

// selector returns the first selector of a category, or with it as its id.
func (s *settings) selector(category string) (one selector, ok bool) {
	all := s.selectors()
	i := slices.IndexFunc(all, func(one selector) bool { return one.category == category })
	if i < 0 {
		i = slices.IndexFunc(all, func(one selector) bool { return one.ID == category })
	}
	if i < 0 {
		return one, false
	}
	return all[i], true
}

// Offers implements backend.Agent.
func (a *agent) Offers(context.Context) (backend.Offers, error) {
	var offers backend.Offers
	var levels []model.Thinking
	thinking, _ := a.settings.selector(categoryThinking)
	for _, l := range levelsOf(thinking) {
		levels = append(levels, l.level)
	}
	chosen, _ := a.settings.selector(categoryModel)
	offers.Model = chosen.Value
	for _, v := range chosen.Values {
		m := backend.Model{ID: v.ID, Name: v.Name, Description: v.Description, Images: a.info.Images}
		if v.ID == chosen.Value {
			m.Thinking = levels // the agent reports those of the model in use
		}
		offers.Models = append(offers.Models, m)
	}
	for _, one := range a.settings.selectors() {
		if one.ID != chosen.ID && one.ID != thinking.ID {
			offers.Options = append(offers.Options, one.Option)
		}
	}
	return offers, nil
}

// Change implements backend.Agent. What to does not name gets the value that it had before it was changed.
func (a *agent) Change(ctx context.Context, to backend.Settings) error {
	want := maps.Clone(a.settings.changed())
	maps.Copy(want, to.Options)
	chosen, hasModel := a.settings.selector(categoryModel)
	if to.Model != "" && !hasModel {
		return a.set(ctx, selector{method: "session/set_model"}, to.Model) // an agent that takes a model without offering one
	}
	if to.Model != "" {
		want[chosen.ID] = to.Model
	}
	if value, ok := want[chosen.ID]; ok { // first: the levels of thinking depend on it
		if err := a.choose(ctx, chosen.ID, value); err != nil {
			return err
		}
		delete(want, chosen.ID)
	}
	if thinking, ok := a.settings.selector(categoryThinking); ok && to.Thinking != "" {
		if value, ok := nearest(levelsOf(thinking), to.Thinking); ok {
			want[thinking.ID] = value
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if err := a.choose(ctx, id, want[id]); err != nil {
			return err
		}
	}
	return nil
}

// changed returns the values before changes, by the ids of selectors.
func (s *settings) changed() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.before)
}

// choose sets a selector, unless it has the value.
func (a *agent) choose(ctx context.Context, id, value string) error {
	all := a.settings.selectors()
	i := slices.IndexFunc(all, func(one selector) bool { return one.ID == id })
	switch {
	case i < 0 && a.settings.changed()[id] != "":
		return nil // the agent does not have it with the model in use
	case i < 0:
		return a.process.Failure(backend.CodeRefused, fmt.Sprintf("it has no option %q", id))
	case all[i].Value != value:
		if err := a.set(ctx, all[i], value); err != nil {
			return err
		}
	}
	a.settings.change(id, all[i].Value, value)
	return nil
}

// change stores the value that a selector had before its first change, until it has that again.
func (s *settings) change(id, from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, changed := s.before[id]
	switch {
	case changed && before == to:
		delete(s.before, id)
	case !changed && from != to:
		s.before[id] = from
	}
}

// set has the agent set a selector, and stores the value.
func (a *agent) set(ctx context.Context, one selector, value string) error {
	s := &a.settings
	if one.method != "session/set_config_option" {
		var params any = setModelParams{a.ID(), value}
		if one.category == categoryMode {
			params = setModeParams{a.ID(), value}
		}
		if err := a.conn.Call(ctx, one.method, params, nil); err != nil {
			return a.refused(one.method, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case one.category == categoryMode:
			s.setMode(value)
		case s.models != nil:
			s.models.CurrentModelID = value
		}
		return nil
	}
	p := setConfigOptionParams{SessionID: a.ID(), ConfigID: one.ID, Value: value}
	if on, err := strconv.ParseBool(value); one.boolean && err == nil {
		p.Type, p.Value = "boolean", on
	}
	var result setConfigOptionResult
	if err := a.conn.Call(ctx, one.method, p, &result); err != nil {
		return a.refused(one.method, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if result.ConfigOptions != nil {
		s.options = result.ConfigOptions
	}
	return nil
}

// askingModes are the names that agents have for the mode in which they request permission for everything that changes something.
var askingModes = []string{"default", "ask", "manual"}

// setAskingMode sets the configured mode, or the first of askingModes that the agent has. An agent that has none of them keeps its mode:
// some have permissions in their own configuration instead.
func (a *agent) setAskingMode(ctx context.Context) error {
	one, ok := a.settings.selector(categoryMode)
	want := a.backend.o.Mode
	if want == "" {
		for _, id := range slices.Backward(askingModes) {
			if slices.ContainsFunc(one.Values, func(v backend.OptionValue) bool { return v.ID == id }) {
				want = id
			}
		}
	}
	switch {
	case want == "" || ok && one.Value == want:
		return nil
	case !ok:
		return a.process.Failure(backend.CodeRefused, fmt.Sprintf("it has no modes, and cannot be set to %q", want))
	}
	return a.set(ctx, one, want)
}

// A level is a value of a selector of thinking.
type level struct {
	level model.Thinking
	value string
}

// allLevels are all levels, the lowest first.
var allLevels = lazy.Value[[]model.Thinking]{New: func() []model.Thinking { return append([]model.Thinking{model.Off}, model.Levels()...) }}

// levelNames are the names that agents have for levels, besides our own.
var levelNames = lazy.Value[map[string]model.Thinking]{New: func() map[string]model.Thinking {
	return map[string]model.Thinking{"none": model.Off, "disabled": model.Off, "max": model.XHigh}
}}

// levelsOf returns the levels of a selector, the lowest first. Values that are no levels, such as "default", are left out.
func levelsOf(one selector) []level {
	var all []level
	for _, l := range allLevels.Get() {
		i := slices.IndexFunc(one.Values, func(v backend.OptionValue) bool {
			id := strings.ToLower(v.ID)
			return cmp.Or(levelNames.Get()[id], model.Thinking(id)) == l
		})
		if i >= 0 {
			all = append(all, level{l, one.Values[i].ID})
		}
	}
	return all
}

// nearest returns the value of the highest level that is not above one, or of the lowest. False: there is none.
func nearest(all []level, want model.Thinking) (value string, ok bool) {
	for _, l := range all {
		if ok && slices.Index(allLevels.Get(), l.level) > slices.Index(allLevels.Get(), want) {
			break
		}
		value, ok = l.value, true
	}
	return value, ok
}
