package provider

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

// listWait bounds how long Resolve waits for the list of an endpoint, once.
const listWait = time.Second

// Resolve finds a model: the offline ones, the gateway's, provider/model-id, or an id that belongs to
// one provider only. "" is the default model. Answers of models that are not offline are recorded, if there is a recorder.
func (r *Registry) Resolve(name string) (engine.Model, error) {
	if name == "" {
		name = r.Default()
	}
	prefix, id, found := strings.Cut(name, "/")
	if found && prefix == offlineName {
		return r.offline(name, id)
	}
	if path, ok := r.recording(name); ok {
		return r.replay(name, path)
	}
	m, err := r.find(name)
	if err == nil && m.Provider != nil && r.recorder != nil {
		m.Provider = r.recorder.Wrap(m.Provider, m.Info.Provider+"/"+m.Info.ID)
	}
	return m, err
}

// find finds a model that is called over the network.
func (r *Registry) find(name string) (engine.Model, error) {
	prefix, id, found := strings.Cut(name, "/")
	if r.gateway != nil {
		if r.strange(*r.gateway, name) {
			return r.unknown(name, fmt.Sprintf("%s has no models of that vendor: %q", r.gateway.Name, name))
		}
		return r.resolved(*r.gateway, name)
	}
	if e, ok := r.Endpoint(prefix); found && ok {
		if id == "" {
			return engine.Model{Info: model.Info{Provider: e.Name}, Open: true}, r.undecided(e)
		}
		return r.resolved(e, id)
	}
	if e, ok := r.owner(name); ok {
		return r.resolved(e, name)
	}
	if name == unconfigured && r.lacking != "" {
		return r.unknown(name, r.lacking)
	}
	return r.unknown(name, r.unclaimed(name))
}

// Describe is Resolve without a request to the endpoint of a model that is named with its provider.
// The provider of any other name may depend on what endpoints list.
func (r *Registry) Describe(name string) engine.Model {
	prefix, id, found := strings.Cut(cmp.Or(name, r.Default()), "/")
	if e, ok := r.Endpoint(prefix); found && ok && id != "" && prefix != offlineName && r.gateway == nil {
		described, _ := r.resolvedAsKnown(e, id) // what is known is returned all the same
		return described
	}
	described, _ := r.Resolve(name)
	return described
}

// Endpoint returns the endpoint of that name.
func (r *Registry) Endpoint(name string) (Endpoint, bool) {
	all := r.Endpoints()
	i := slices.IndexFunc(all, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return Endpoint{}, false
	}
	return all[i], true
}

// owner returns the provider that a name without a provider belongs to: one that lists it or that
// the catalogue knows it of, one that can be called before one that cannot; else the only endpoint
// there is. A name whose beginning looks like a provider's belongs only to an endpoint that lists it:
// a misspelt provider must not send a conversation to another one.
func (r *Registry) owner(name string) (Endpoint, bool) {
	var usable []Endpoint
	for _, e := range r.Endpoints() {
		if e.Usable() || r.byToken(e) {
			usable = append(usable, e)
		}
	}
	for _, e := range usable {
		if r.lists(e, name) == listHas {
			return e, true
		}
	}
	if strings.Contains(name, "/") {
		return Endpoint{}, false
	}
	for _, all := range [][]Endpoint{usable, r.Endpoints()} {
		for _, e := range all {
			if catalog.Lookup(e.Name, name).Known && (e.Usable() || len(usable) == 0) {
				return e, true
			}
		}
	}
	if len(usable) == 1 && usable[0].configured && r.lists(usable[0], name) != listLacks {
		return usable[0], true
	}
	return Endpoint{}, false
}

// unclaimed returns why a name is refused, and how to name the model.
func (r *Registry) unclaimed(name string) string {
	problem := fmt.Sprintf("no provider is configured for model %q", name)
	for _, e := range r.Endpoints() {
		if e.whole {
			return fmt.Sprintf("%s: use provider/model-id, or openai/%s for a model of the endpoint at OPENAI_BASE_URL", problem, name)
		}
	}
	return problem + ": use provider/model-id with the provider's key in the environment, or set OPENAI_BASE_URL"
}

func (r *Registry) unknown(name, problem string) (engine.Model, error) {
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
func (r *Registry) lists(e Endpoint, id string) listing {
	if !e.configured {
		if _, ok := e.live.has(id); ok {
			return listHas
		}
		return noList
	}
	known := r.windows.listed(e, id)
	if known {
		r.renewList(e)
	} else {
		r.requestList(e)
	}
	switch _, ok := e.live.has(id); {
	case ok, known && len(e.live.list()) == 0:
		return listHas
	case len(e.live.list()) > 0:
		return listLacks
	}
	return noList
}

// discover requests the list of a configured endpoint: the list may say how long the window of the model
// is there. At an address of a known provider it does for models that the catalogue does not know.
//
// It does not wait where an earlier process saw the model in the list, or the gateway's credentials state the
// window: the list is requested all the same, and counts as soon as it is there.
func (r *Registry) discover(e Endpoint, id string) {
	switch {
	case !e.own() || e.infos[id].ContextWindow > 0 || profile.Hosted(e.BaseURL) && catalog.Lookup(e.Name, id).Known:
	case r.windows.listed(e, id):
		r.renewList(e)
	default:
		r.requestList(e)
	}
}

// renewList requests the list of an endpoint and does not wait for it.
func (r *Registry) renewList(e Endpoint) {
	if lister, ok := r.lister(e); ok && !e.live.fresh() {
		e.live.ask(lister)
	}
}

// lister returns the client of e if it can be asked for its list.
func (r *Registry) lister(e Endpoint) (model.Lister, bool) {
	lister, ok := r.client(e).(model.Lister)
	return lister, ok && (e.Usable() || e.KeyEnv == "")
}

// requestList requests the list of an endpoint, and waits for it the first time.
func (r *Registry) requestList(e Endpoint) {
	if e.live.fresh() {
		return
	}
	lister, ok := r.lister(e)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), listWait)
	defer cancel()
	e.live.await(ctx, lister)
}
