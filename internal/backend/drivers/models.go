package drivers

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/kind"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
)

// Providers are the models of providers.
type Providers interface {
	engine.Models
	Describe(name string) engine.Model
}

// Models are the models of providers and those of back ends, whose names are that of the back end, a slash, and what the agent
// names the model. It is the engine.Models of the program.
type Models struct {
	Providers
	drivers *Drivers
}

// Models returns the models of providers and those of the back ends.
func (d *Drivers) Models(providers Providers) *Models { return &Models{providers, d} }

// split returns the back end that has a model, and what the agent names it.
func (d *Drivers) split(name string) (owner, id string, ok bool) {
	owner, id, ok = strings.Cut(name, "/")
	if !ok || id == "" {
		return "", "", false
	}
	_, err := d.Settings.FindBackend(owner)
	return owner, id, err == nil
}

// BackendOf returns the back end that has a model; "": none has. The model "" is the default.
func (d *Drivers) BackendOf(name string) string {
	if name == "" && d.Settings.Backend != "" {
		return d.Settings.Backend
	}
	owner, _, ok := d.split(cmp.Or(name, d.Settings.Model))
	if !ok {
		return ""
	}
	return owner
}

// ModelOf returns the model of sessions of a back end for which no other one is chosen.
func (d *Drivers) ModelOf(name string) string {
	if owner, _, ok := d.split(d.Settings.Model); ok && owner == name {
		return d.Settings.Model
	}
	b, _ := d.Settings.FindBackend(name) // one that is not configured has no model
	return name + "/" + cmp.Or(b.Model, backend.DefaultModel)
}

// Default implements engine.Models: where new sessions have a back end, it is a model of that.
func (m *Models) Default() string {
	if own := m.drivers.Settings.Backend; own != "" {
		return m.drivers.ModelOf(own)
	}
	return m.Providers.Default()
}

// Resolve implements engine.Models. Whether an agent has a model is known to the agent only.
func (m *Models) Resolve(name string) (engine.Model, error) {
	name = cmp.Or(name, m.Default())
	if owner, id, ok := m.drivers.split(name); ok {
		return engine.Model{Provider: turnsOnly{owner, name}, Info: m.drivers.info(owner, id), Open: true}, nil
	}
	return m.Providers.Resolve(name)
}

// Describe is Resolve without a request to an endpoint.
func (m *Models) Describe(name string) engine.Model {
	name = cmp.Or(name, m.Default())
	if m.drivers.BackendOf(name) != "" {
		found, _ := m.Resolve(name) // of a back end: it does not fail
		return found
	}
	return m.Providers.Describe(name)
}

// Names implements engine.Models.
func (m *Models) Names() []string {
	names := append(slices.Clone(m.Providers.Names()), m.drivers.models()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Discover implements engine.Models. It does not wait for agents, which may take seconds to start; see Await.
func (m *Models) Discover(ctx context.Context) []engine.Offer {
	m.drivers.refresh()
	offers := m.Providers.Discover(ctx)
	for _, name := range m.drivers.models() {
		found, _ := m.Resolve(name) // of a back end: it does not fail
		offers = append(offers, engine.Offer{Name: name, Info: found.Info})
	}
	first := m.Default()
	if i := slices.IndexFunc(offers, func(o engine.Offer) bool { return o.Name == first }); i > 0 {
		offer := offers[i]
		offers = slices.Insert(slices.Delete(offers, i, i+1), 0, offer)
	}
	return offers
}

// Await waits until the agents of all back ends have answered which models they have, or will not.
func (m *Models) Await(ctx context.Context) {
	for _, done := range m.drivers.refresh() {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// Offers returns what the agent of a back end offers, as far as one has answered.
func (d *Drivers) Offers(name string) (backend.Offers, bool) { return d.offers.get(name) }

// refresh requests what agents offer, where it is not known.
func (d *Drivers) refresh() (waits []<-chan struct{}) {
	for _, name := range d.listed() {
		if done := d.offers.refresh(name, func(ctx context.Context) (backend.Offers, error) { return d.query(ctx, name) }); done != nil {
			waits = append(waits, done)
		}
	}
	return waits
}

// Names returns the back ends whose program is found, sorted.
func (d *Drivers) Names() (names []string) {
	for _, name := range d.Settings.BackendNames() {
		if _, err := d.Program(name); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// listed returns the back ends whose models are in lists: those that are configured and that of new sessions, if their program
// is found.
func (d *Drivers) listed() (names []string) {
	for _, name := range d.Settings.BackendNames() {
		_, configured := d.Settings.Backends[name]
		if _, err := d.Program(name); err == nil && (configured || name == d.Settings.Backend) {
			names = append(names, name)
		}
	}
	return names
}

// models returns the names of the models of back ends, as far as they are known.
func (d *Drivers) models() (names []string) {
	for _, name := range d.listed() {
		own := []string{name + "/" + backend.DefaultModel, d.ModelOf(name)}
		offers, _ := d.offers.get(name)
		for _, m := range offers.Models {
			own = append(own, name+"/"+m.ID)
		}
		slices.Sort(own)
		names = append(names, slices.Compact(own)...)
	}
	return names
}

// info returns what is known of a model of a back end.
func (d *Drivers) info(name, id string) model.Info {
	k, _ := kind.Of(name)
	offers, answered := d.offers.get(name)
	shown := ""
	search := id
	if id == backend.DefaultModel && !slices.ContainsFunc(offers.Models, func(m backend.Model) bool { return m.ID == id }) {
		search, shown = offers.Model, "Default of "+name
	}
	info := catalogued(k, search)
	if info.Provider, info.ID, info.Name = name, id, cmp.Or(shown, info.Name, id); !info.Known {
		info.Images = !answered // the agent refuses them if it has to
	}
	info.Known = info.Known || shown != ""
	for _, m := range offers.Models {
		if m.ID == search {
			if m.Thinking != nil || !catalogued(k, search).Known {
				info.Thinking = m.Thinking
			}
			info.Known, info.Name, info.Images = true, cmp.Or(shown, m.Name, id), m.Images
			info.ContextWindow = cmp.Or(m.Window, info.ContextWindow)
			info.Thinking = slices.DeleteFunc(slices.Clone(info.Thinking), func(level model.Thinking) bool { return level == model.Off || level == "" })
		}
	}
	return info
}

// catalogued returns what the catalogue knows of a model that an agent names by its id, or by its provider and its id.
func catalogued(k kind.Kind, id string) model.Info {
	provider := k.Provider
	if vendor, rest, ok := strings.Cut(id, "/"); ok {
		provider, id = vendor, rest
	}
	return catalog.Lookup(provider, id)
}

// turnsOnly is the provider of a model of a back end, which cannot be requested.
type turnsOnly struct{ backend, name string }

// Stream implements model.Provider.
func (p turnsOnly) Stream(context.Context, *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		yield(model.Delta{}, &model.Error{
			Kind: model.NotConfigured, Provider: p.backend,
			Message: fmt.Sprintf("%s is a model of the back end %s, which runs turns only", p.name, p.backend),
		})
	}
}
