package openai

import (
	"cmp"
	"maps"
	"net/http"
	"time"

	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
	"parley.dev/parley/internal/model/translate"
)

const defaultAddress = "https://api.openai.com/v1"

// Options say where a server is and what it is like. The environment is never read.
type Options struct {
	Name        string            // the provider's, for errors; "": openai
	BaseURL     string            // with its version; "": https://api.openai.com/v1
	APIKey      string            // "": none is sent
	Headers     map[string]string // sent with every request; an empty one is not, not even if the profile has it
	HTTP        *http.Client      // nil: sse.DefaultClient; it must not have a Timeout, which would cut streams
	IdleTimeout time.Duration     // without a byte; 0: 5 minutes

	// Profile is the name of a row of package profile; "": the one of the address or of Name.
	Profile string

	ServiceTier string // of each request; "": the endpoint's own
	CacheTTL    string // how long what is cached counts, 5m or 1h, where the wire has a word for it; "": the endpoint's own
}

func (o Options) endpoint() sse.Endpoint {
	return sse.Endpoint{
		Provider: o.provider(),
		BaseURL:  o.BaseURL,
		Address:  cmp.Or(o.BaseURL, defaultAddress),
		HTTP:     o.HTTP,
		Key:      o.APIKey,
		Headers:  o.Headers,
		Idle:     o.IdleTimeout,
	}
}

// header returns what the server is sent with every request.
func (o Options) header() http.Header {
	h := http.Header{}
	if o.APIKey != "" {
		h.Set("Authorization", "Bearer "+o.APIKey)
	}
	for name, value := range o.headers() {
		h.Set(name, value)
	}
	return h
}

// headers returns the headers of the profile and those that are set.
func (o Options) headers() map[string]string {
	all := map[string]string{}
	for name, value := range o.profile(profile.Chat, "").Headers {
		all[http.CanonicalHeaderKey(name)] = value
	}
	for name, value := range o.Headers {
		all[http.CanonicalHeaderKey(name)] = value
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

func (o Options) provider() string { return cmp.Or(o.Name, "openai") }

// profile returns what the server is like for a model.
func (o Options) profile(wire profile.Wire, id string) profile.Profile {
	return profile.For(profile.Endpoint{Wire: wire, Provider: o.provider(), BaseURL: o.BaseURL, Profile: o.Profile}, id)
}

// target returns where a request for a model goes.
func (o Options) target(wire profile.Wire, id string) translate.Target {
	return translate.Target{Provider: o.provider(), Model: id, Profile: o.profile(wire, id)}
}
