package anthropic

import (
	"context"
	"iter"
	"net/http"

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
	refusals fallback.Memory
	schemas  toolschema.Cache
}

// New returns the Provider of a server.
func New(o Options) *Provider {
	return &Provider{options: o, endpoint: o.endpoint()}
}

// Stream asks for one answer; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return p.refusals.Stream(ctx, req, func(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		return p.schemas.Stream(ctx, req, p.options.profile(req.Model).Schema, p.stream)
	})
}

func (p *Provider) stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		at := p.options.profile(req.Model)
		translated := translate.Request(req, translate.Target{Provider: p.options.provider(), Model: req.Model, Profile: at})
		header := p.options.header()
		for _, beta := range betas(req) {
			header.Add("Anthropic-Beta", beta)
		}
		return p.endpoint.Post(ctx, req, "v1/messages", header, params(translated, &at, &p.options))
	}
	return p.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &answer{} })
}
