package openai

import (
	"cmp"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// Options say where a server is and what it is like. The environment is never read.
type Options struct {
	Name        string            // the provider's, for errors; "": openai
	BaseURL     string            // with its version; "": https://api.openai.com/v1
	APIKey      string            // "": none is sent
	Headers     map[string]string // sent with every request
	HTTP        *http.Client      // nil: http.DefaultClient; it must not have a Timeout, which would cut streams
	IdleTimeout time.Duration     // without a byte; 0: 5 minutes

	// Compatible is a server that only resembles OpenAI's. It gets max_tokens instead of
	// max_completion_tokens, and no field that few servers know.
	Compatible bool

	// Efforts are the server's words for thinking levels, where they are not our own.
	Efforts map[model.Thinking]string
}

func (o Options) endpoint() sse.Endpoint {
	return sse.Endpoint{
		Provider: cmp.Or(o.Name, "openai"),
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
		opts = append(opts, option.WithBaseURL(o.BaseURL))
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	for name, value := range o.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	return opts
}

// effort is the server's word for t; "": do not ask for reasoning.
func (o Options) effort(t model.Thinking) string {
	if t == "" || t == model.Off {
		return ""
	}
	return cmp.Or(o.Efforts[t], string(t))
}
