package anthropic

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/option"

	"parley.dev/parley/internal/model/sse"
)

// Options say where a server is. The environment and Anthropic's own configuration files
// are never read.
type Options struct {
	Name        string            // the provider's, for errors; "": anthropic
	BaseURL     string            // with or without /v1; "": https://api.anthropic.com
	APIKey      string            // sent as x-api-key; "": none is sent
	Headers     map[string]string // sent with every request
	HTTP        *http.Client      // nil: http.DefaultClient; it must not have a Timeout, which would cut streams
	IdleTimeout time.Duration     // without a byte; 0: 5 minutes
}

func (o Options) endpoint() sse.Endpoint {
	return sse.Endpoint{
		Provider: cmp.Or(o.Name, "anthropic"),
		BaseURL:  o.BaseURL,
		Key:      o.APIKey,
		Headers:  o.Headers,
		Idle:     o.IdleTimeout,
	}
}

// request is what the SDK is told of every request. Retries are the engine's.
func (o Options) request() []option.RequestOption {
	opts := []option.RequestOption{
		option.WithEnvironmentProduction(),
		option.WithHTTPClient(cmp.Or(o.HTTP, http.DefaultClient)),
		option.WithMaxRetries(0),
	}
	if o.BaseURL != "" {
		opts = append(opts, option.WithBaseURL(strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/v1")))
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	for name, value := range o.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	return opts
}
