package anthropic

import (
	"context"
	"iter"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/fallback"
	"parley.dev/parley/internal/model/sse"
	"parley.dev/parley/internal/model/toolschema"
	"parley.dev/parley/internal/model/translate"
)

// Provider is a [model.Provider] and [model.Lister] on the Messages wire.
type Provider struct {
	options  Options
	endpoint sse.Endpoint
	messages anthropic.MessageService
	tools    sse.Tools
	refusals fallback.Memory
	schemas  toolschema.Cache
	models   anthropic.ModelService
}

// New is the Provider of a server.
func New(o Options) *Provider {
	opts := o.request()
	return &Provider{
		options:  o,
		endpoint: o.endpoint(),
		messages: anthropic.NewMessageService(opts...),
		models:   anthropic.NewModelService(opts...),
	}
}

// Stream asks for one answer; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return p.refusals.Stream(ctx, req, func(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		return p.schemas.Stream(ctx, req, p.options.profile(req.Model).Schema, p.stream)
	})
}

func (p *Provider) stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		at := p.options.profile(req.Model)
		told := translate.Request(req, translate.Target{Provider: p.options.provider(), Model: req.Model, Profile: at})
		body, err := sse.NewBody(&p.tools, told, func(req *model.Request) anthropic.MessageNewParams { return params(req, &at, &p.options) }, p.options.tools)
		if err == nil {
			opts := append(betas(req), option.WithMiddleware(body.Send), option.WithResponseBodyInto(&response))
			err = p.messages.NewStreaming(ctx, anthropic.MessageNewParams{}, opts...).Err()
		}
		return sse.Sent(response, err)
	}
	return p.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &answer{} })
}
