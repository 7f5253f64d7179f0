package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/profile"
)

func (r *Registry) resolved(e Endpoint, id string) (engine.Model, error) {
	r.discover(e, id)
	return r.resolvedAsKnown(e, id)
}

// resolvedAsKnown is resolved without a request to the endpoint.
func (r *Registry) resolvedAsKnown(e Endpoint, id string) (engine.Model, error) {
	info, listed := e.withListed(r.info(e, id))
	if has, ok := e.live.has(id); ok && e.own() {
		r.windows.note(e, id, has.ContextWindow)
	}
	info = e.withSettings(e.withCachePrice(info))
	own := e.models[id]
	if window := r.windows.of(e, id, !listed && own.ContextWindow == 0); window > 0 && (own.ContextWindow == 0 || window < own.ContextWindow) {
		info.ContextWindow = window
	}
	if e.problem != "" {
		return engine.Model{Info: info}, &model.Error{Kind: model.NotConfigured, Provider: e.Name, Message: e.problem}
	}
	found := engine.Model{Info: info, Open: e.own(), Pictures: e.ProfileOf(id).Pictures, MaxTools: e.ProfileOf(id).MaxTools}
	if r.byToken(e) {
		found.Provider = r.client(e)
		return found, nil
	}
	if e.KeyEnv != "" && !e.Usable() {
		return found, &model.Error{
			Kind: model.NotConfigured, Provider: e.Name, Message: fmt.Sprintf("no key for %s: set %s", e.Name, e.KeyEnv),
		}
	}
	found.Provider = r.client(e)
	return found, nil
}

func (r *Registry) info(e Endpoint, id string) model.Info {
	info := catalog.Lookup(e.Name, id)
	if e.whole && !info.Known {
		if vendor, rest, found := strings.Cut(id, "/"); found {
			if known := catalog.Lookup(vendor, rest); known.Known {
				info = known
			}
		}
	}
	info.ID, info.Provider, info.API = id, e.Name, e.API
	if listed, ok := e.infos[id]; ok {
		info.ContextWindow = cmp.Or(listed.ContextWindow, info.ContextWindow)
		info.MaxOutput = cmp.Or(listed.MaxOutput, info.MaxOutput)
	}
	return info
}

// withSettings replaces what the configuration states of a model.
func (e Endpoint) withSettings(info model.Info) model.Info {
	own, ok := e.models[info.ID]
	if !ok {
		return info
	}
	info.Known = true
	info.ContextWindow = cmp.Or(own.ContextWindow, info.ContextWindow)
	info.MaxOutput = cmp.Or(own.MaxOutput, info.MaxOutput)
	if own.Images != nil {
		info.Images = *own.Images
	}
	if own.Thinking != nil {
		info.Thinking = slices.DeleteFunc(slices.Clone(own.Thinking), func(t model.Thinking) bool { return t == model.Off })
	}
	if own.Price != nil {
		info.Price = *own.Price
	}
	return info
}

// withCachePrice returns info with the price of writing to the cache for an hour, which is twice that of
// input (Anthropic, "Prompt caching").
func (e Endpoint) withCachePrice(info model.Info) model.Info {
	if e.ttl == config.HourCached && e.ProfileOf(info.ID).Cache == profile.Breakpoints {
		info.Price.CacheWrite, info.Price.Long.CacheWrite = 2*info.Price.Input, 2*info.Price.Long.Input
	}
	return info
}

// withListed adds what the endpoint lists of a model to what the catalogue knows.
// It reports whether the endpoint says how long the window is.
func (e Endpoint) withListed(info model.Info) (model.Info, bool) {
	own, ok := e.live.has(info.ID)
	if !ok {
		return info, false
	}
	if !info.Known {
		info.Name = cmp.Or(own.Name, info.Name)
	}
	if !info.Known || e.own() {
		info.ContextWindow = cmp.Or(own.ContextWindow, info.ContextWindow)
		info.MaxOutput = cmp.Or(own.MaxOutput, info.MaxOutput)
	}
	info.Known = true
	return info, e.own() && own.ContextWindow > 0
}

// Price returns the price of a model of another program: its id, which may follow a provider and a slash. It reports false if the
// catalogue does not have the model.
func Price(name string) (model.Price, bool) {
	of, id, found := strings.Cut(name, "/")
	if !found {
		of, id = "", name
	}
	info := catalog.Lookup(of, id)
	return info.Price, info.Known
}
