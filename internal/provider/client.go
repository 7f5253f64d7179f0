package provider

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/anthropic"
	"parley.dev/parley/internal/model/openai"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/signin"
)

// A tokenProvider sends requests with the token of the signed-in user, and renews it when necessary.
type tokenProvider struct {
	manager *signin.Manager
	client  func(token string) model.Provider
}

// Stream requests an answer of the provider; see [model.Provider].
func (p tokenProvider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		token, err := p.manager.Token(ctx)
		if err != nil {
			yield(model.Delta{}, &model.Error{Kind: model.Auth, Provider: "openai", Message: err.Error()})
			return
		}
		for d, err := range p.client(token).Stream(ctx, req) {
			if failed, ok := errors.AsType[*model.Error](err); ok && failed.Kind == model.Auth {
				p.manager.Refused(token) // the next call renews it
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func (r *Registry) client(e Endpoint) model.Provider {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, byToken := e.Name, r.byToken(e)
	if byToken {
		name += " by token" // a later sign-in does not get the client that was made before
	}
	if c, ok := r.clients[name]; ok {
		return c
	}
	c := newClient(e)
	if byToken {
		c = tokenProvider{r.signedIn, func(token string) model.Provider {
			e.key = token
			return newClient(e)
		}}
	}
	c = r.windows.learnFrom(c, e)
	r.clients[name] = c
	return c
}

// compatibleProfile is the profile of a server of which nothing is known.
const compatibleProfile = "compatible"

// profileName returns the name of the profile that is set, or follows from the settings; "": none.
func (e Endpoint) profileName() string {
	if e.whole {
		return cmp.Or(e.profile, compatibleProfile)
	}
	return e.profile
}

// profileWires are the names that package profile has for the wires.
var profileWires = lazy.Value[map[string]profile.Wire]{New: func() map[string]profile.Wire {
	return map[string]profile.Wire{config.APIChat: profile.Chat, config.APIResponses: profile.Responses, config.APIAnthropic: profile.Messages}
}}

// ProfileOf returns the profile of a model of e, by its id.
func (e Endpoint) ProfileOf(id string) profile.Profile {
	at := profile.Endpoint{Wire: profileWires.Get()[e.API], Provider: e.Name, BaseURL: e.BaseURL, Profile: e.profileName()}
	if e.API == config.APIAnthropic {
		at.Profile = "" // of endpoints on the other wires
	}
	return profile.For(at, id)
}

func newClient(e Endpoint) model.Provider {
	if e.API == config.APIAnthropic {
		o := anthropic.Options{Name: e.Name, BaseURL: e.BaseURL, APIKey: e.key, Headers: e.headers, IdleTimeout: e.idle, ServiceTier: e.tier, CacheTTL: e.ttl}
		if e.bearer {
			o.APIKey, o.Token = "", e.key
		}
		return anthropic.New(o)
	}
	o := openai.Options{
		Name: e.Name, BaseURL: e.BaseURL, APIKey: e.key, Profile: e.profileName(), Headers: e.headers, IdleTimeout: e.idle,
		ServiceTier: e.tier, CacheTTL: e.ttl,
	}
	if e.API == config.APIResponses {
		return openai.NewResponses(o)
	}
	return openai.NewChat(o)
}
