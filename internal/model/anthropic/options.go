package anthropic

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/option"

	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
)

// Options say where a server is. The environment and Anthropic's own configuration files
// are never read.
type Options struct {
	Name        string            // the provider's, for errors; "": anthropic
	BaseURL     string            // with or without /v1; "": https://api.anthropic.com
	APIKey      string            // sent as x-api-key; "": none is sent
	Token       string            // sent as a bearer token; "": none is sent
	Headers     map[string]string // sent with every request; an empty one is not
	HTTP        *http.Client      // nil: http.DefaultClient; it must not have a Timeout, which would cut streams
	IdleTimeout time.Duration     // without a byte; 0: 5 minutes

	ServiceTier string // of each request; "": the endpoint's own
	CacheTTL    string // how long what is cached counts, 5m or 1h, where the wire has a word for it; "": the endpoint's own
}

func (o Options) endpoint() sse.Endpoint {
	return sse.Endpoint{
		Provider: o.provider(),
		BaseURL:  o.BaseURL,
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

// request is what the SDK is told of every request. Retries are the engine's.
func (o Options) request() []option.RequestOption {
	opts := []option.RequestOption{
		option.WithEnvironmentProduction(),
		option.WithHTTPClient(cmp.Or(o.HTTP, http.DefaultClient)),
		option.WithMaxRetries(0),
	}
	if base, query := sse.SplitQuery(o.BaseURL); base != "" {
		opts = append(opts, option.WithBaseURL(strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1")))
		for name := range query {
			opts = append(opts, option.WithQuery(name, query.Get(name)))
		}
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	if o.Token != "" {
		opts = append(opts, option.WithAuthToken(o.Token))
	}
	for name, value := range o.Headers {
		if value != "" {
			opts = append(opts, option.WithHeader(name, value))
		}
	}
	return opts
}
