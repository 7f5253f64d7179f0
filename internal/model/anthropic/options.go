package anthropic

import (
	"cmp"
	"net/http"
	"time"

	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
)

const (
	defaultAddress = "https://api.anthropic.com"
	wireVersion    = "2023-06-01"
)

// Options say where a server is. The environment and Anthropic's own configuration files
// are never read.
type Options struct {
	Name        string            // the provider's, for errors; "": anthropic
	BaseURL     string            // with or without /v1; "": https://api.anthropic.com
	APIKey      string            // sent as x-api-key; "": none is sent
	Token       string            // sent as a bearer token; "": none is sent
	Headers     map[string]string // sent with every request; an empty one is not
	HTTP        *http.Client      // nil: sse.DefaultClient; it must not have a Timeout, which would cut streams
	IdleTimeout time.Duration     // without a byte; 0: 5 minutes

	ServiceTier string // of each request; "": the endpoint's own
	CacheTTL    string // how long what is cached counts, 5m or 1h, where the wire has a word for it; "": the endpoint's own
}

func (o Options) endpoint() sse.Endpoint {
	return sse.Endpoint{
		Provider: o.provider(),
		BaseURL:  o.BaseURL,
		Address:  sse.TrimVersion(cmp.Or(o.BaseURL, defaultAddress)),
		HTTP:     o.HTTP,
		Key:      cmp.Or(o.APIKey, o.Token),
		Headers:  o.Headers,
		Idle:     o.IdleTimeout,
	}
}

func (o Options) provider() string { return cmp.Or(o.Name, "anthropic") }

// profile returns what the server is like for a model.
func (o Options) profile(id string) profile.Profile {
	return profile.For(profile.Endpoint{Wire: profile.Messages, Provider: o.provider(), BaseURL: o.BaseURL}, id)
}

// header returns what the server is sent with every request.
func (o Options) header() http.Header {
	h := http.Header{"Anthropic-Version": {wireVersion}}
	if o.APIKey != "" {
		h.Set("X-Api-Key", o.APIKey)
	}
	if o.Token != "" {
		h.Set("Authorization", "Bearer "+o.Token)
	}
	for name, value := range o.Headers {
		if value != "" {
			h.Set(name, value)
		}
	}
	return h
}
