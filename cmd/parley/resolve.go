package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/profile"
)

// This file finds the provider of a model's name.

// listWait bounds how long Resolve waits for the list of an endpoint, once.
const listWait = time.Second

// Resolve finds a model: the offline ones, the gateway's, provider/model-id, or an id that belongs to
// one provider only. "" is the default model.
func (m *models) Resolve(name string) (engine.Model, error) {
	if name == "" {
		name = m.Default()
	}
	prefix, id, found := strings.Cut(name, "/")
	if found && prefix == offlineName {
		return m.offline(name, id)
	}
	if m.gateway != nil {
		if m.strange(*m.gateway, name) {
			return m.unknown(name, fmt.Sprintf("%s has no models of that vendor: %q", m.gateway.name, name))
		}
		return m.resolved(*m.gateway, name)
	}
	if p, ok := m.named(prefix); found && ok {
		if id == "" {
			return engine.Model{Info: model.Info{Provider: p.name}, Open: true}, m.undecided(p)
		}
		return m.resolved(p, id)
	}
	if p, ok := m.owner(name); ok {
		return m.resolved(p, name)
	}
	if name == unconfigured && m.lacking != "" {
		return m.unknown(name, m.lacking)
	}
	return m.unknown(name, m.unclaimed(name))
}

// Describe is Resolve without a request to the endpoint of a model that is named with its provider.
// The provider of any other name may depend on what endpoints list.
func (m *models) Describe(name string) engine.Model {
	prefix, id, found := strings.Cut(cmp.Or(name, m.Default()), "/")
	if p, ok := m.named(prefix); found && ok && id != "" && prefix != offlineName && m.gateway == nil {
		described, _ := m.resolvedAsKnown(p, id) // what is known is returned all the same
		return described
	}
	described, _ := m.Resolve(name)
	return described
}

func (m *models) named(name string) (provider, bool) {
	all := m.all()
	i := slices.IndexFunc(all, func(p provider) bool { return p.name == name })
	if i < 0 {
		return provider{}, false
	}
	return all[i], true
}

// owner returns the provider that a name without a provider belongs to: one that lists it or that
// the catalogue knows it of, one that can be called before one that cannot; else the only endpoint
// there is. A name whose beginning looks like a provider's belongs only to an endpoint that lists it:
// a misspelt provider must not send a conversation to another one.
func (m *models) owner(name string) (provider, bool) {
	var usable []provider
	for _, p := range m.all() {
		if p.usable() || m.byToken(p) {
			usable = append(usable, p)
		}
	}
	for _, p := range usable {
		if m.lists(p, name) == listHas {
			return p, true
		}
	}
	if strings.Contains(name, "/") {
		return provider{}, false
	}
	for _, all := range [][]provider{usable, m.all()} {
		for _, p := range all {
			if catalog.Lookup(p.name, name).Known && (p.usable() || len(usable) == 0) {
				return p, true
			}
		}
	}
	if len(usable) == 1 && usable[0].configured && m.lists(usable[0], name) != listLacks {
		return usable[0], true
	}
	return provider{}, false
}

// unclaimed says why a name is refused, and how to name the model.
func (m *models) unclaimed(name string) string {
	problem := fmt.Sprintf("no provider is configured for model %q", name)
	for _, p := range m.all() {
		if p.whole {
			return fmt.Sprintf("%s: use provider/model-id, or openai/%s for a model of the endpoint at OPENAI_BASE_URL", problem, name)
		}
	}
	return problem + ": use provider/model-id with the provider's key in the environment, or set OPENAI_BASE_URL"
}

func (m *models) unknown(name, problem string) (engine.Model, error) {
	prefix, id, _ := strings.Cut(name, "/")
	return engine.Model{Info: catalog.Lookup(prefix, cmp.Or(id, name))}, &model.Error{
		Kind: model.NotConfigured, Provider: prefix, Message: problem,
	}
}

// listing is what an endpoint's list says of a name.
type listing uint8

const (
	noList    listing = iota // there is no list
	listHas                  // it has the model
	listLacks                // it has others only
)

// lists reports what the list of a configured endpoint says of a model.
func (m *models) lists(p provider, id string) listing {
	if !p.configured {
		if _, ok := p.live.has(id); ok {
			return listHas
		}
		return noList
	}
	known := m.windows.listed(p, id)
	if known {
		m.renewList(p)
	} else {
		m.requestList(p)
	}
	switch _, ok := p.live.has(id); {
	case ok, known && len(p.live.list()) == 0:
		return listHas
	case len(p.live.list()) > 0:
		return listLacks
	}
	return noList
}

// strange reports whether a gateway lists its models and has none of the vendor that name begins
// with. It may take names that it does not list, of vendors that it has.
func (m *models) strange(gateway provider, name string) bool {
	vendor, _, found := strings.Cut(name, "/")
	if _, known := gateway.infos[name]; known || !found || m.lists(gateway, name) != listLacks {
		return false
	}
	return !slices.ContainsFunc(gateway.live.list(), func(info model.Info) bool { return strings.HasPrefix(info.ID, vendor+"/") })
}

// discover requests the list of a configured endpoint: the list may say how long the window of the model
// is there. At an address of a known provider it does for models that the catalogue does not know.
//
// It does not wait where an earlier process saw the model in the list, or the gateway's credentials state the
// window: the list is requested all the same, and counts as soon as it is there.
func (m *models) discover(p provider, id string) {
	switch {
	case !p.own() || p.infos[id].ContextWindow > 0 || profile.Hosted(p.baseURL) && catalog.Lookup(p.name, id).Known:
	case m.windows.listed(p, id):
		m.renewList(p)
	default:
		m.requestList(p)
	}
}

// renewList requests the list of an endpoint and does not wait for it.
func (m *models) renewList(p provider) {
	if lister, ok := m.lister(p); ok && !p.live.fresh() {
		p.live.ask(lister)
	}
}

// lister returns the client of p if it can be asked for its list.
func (m *models) lister(p provider) (model.Lister, bool) {
	lister, ok := m.client(p).(model.Lister)
	return lister, ok && (p.usable() || p.keyEnv == "")
}

// requestList requests the list of an endpoint, and waits for it the first time.
func (m *models) requestList(p provider) {
	if p.live.fresh() {
		return
	}
	lister, ok := m.lister(p)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), listWait)
	defer cancel()
	p.live.await(ctx, lister)
}
