package anthropic

import (
	"context"
	"iter"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// Provider is a [model.Provider] and [model.Lister] on the Messages wire.
type Provider struct {
	endpoint sse.Endpoint
	messages anthropic.MessageService
	tools    sse.Tools
	models   anthropic.ModelService
}

// New is the Provider of a server.
func New(o Options) *Provider {
	opts := o.request()
	return &Provider{
		endpoint: o.endpoint(),
		messages: anthropic.NewMessageService(opts...),
		models:   anthropic.NewModelService(opts...),
	}
}

// Stream asks for one answer; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		body, err := sse.NewBody(&p.tools, req, params, tools)
		if err == nil {
			opts := append(betas(req), option.WithMiddleware(body.Send), option.WithResponseBodyInto(&response))
			err = p.messages.NewStreaming(ctx, anthropic.MessageNewParams{}, opts...).Err()
		}
		return sse.Sent(response, err)
	}
	return p.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &answer{} })
}
