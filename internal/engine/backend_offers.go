package engine

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// A BackendOption is an option of an agent, by the name that it has in Settings.Options.
type BackendOption struct {
	Setting string
	backend.Option
}

// BackendOptions returns the options of the agent that has the model of settings, with the values that they choose, as far as an
// agent of that back end has reported them.
func (h *Host) BackendOptions(settings event.Settings) []BackendOption {
	name := h.cfg.BackendOf(settings.Model)
	if name == "" || h.cfg.BackendOffers == nil {
		return nil
	}
	offers, _ := h.cfg.BackendOffers(name)
	var all []BackendOption
	for _, o := range offers.Options {
		option := BackendOption{backend.OptionPrefix + o.ID, o}
		var chosen string
		if json.Unmarshal(settings.Options[option.Setting], &chosen) == nil && option.Takes(chosen) {
			option.Value = chosen
		}
		all = append(all, option)
	}
	return all
}

// Takes reports whether an option can have a value.
func (o BackendOption) Takes(value string) bool {
	return slices.ContainsFunc(o.Values, func(v backend.OptionValue) bool { return v.ID == value })
}

// Choose sets the option in settings.
func (o BackendOption) Choose(settings *event.Settings, value string) {
	options := maps.Clone(settings.Options)
	if options == nil {
		options = map[string]jsontext.Value{}
	}
	options[o.Setting], _ = json.Marshal(value) // of a text: cannot fail
	settings.Options = options
}
