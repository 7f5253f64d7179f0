package openai

import (
	"context"
	"iter"
	"net/http"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/fallback"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
	"parley.dev/parley/internal/model/toolschema"
	"parley.dev/parley/internal/model/translate"
)

// Responses is a [model.Provider] and [model.Lister] on the Responses wire. It stores no
// state at the server: every request has the whole conversation, with the reasoning
// encrypted in the thinking blocks' signatures.
type Responses struct {
	options  Options
	endpoint sse.Endpoint
	refusals fallback.Memory
	schemas  toolschema.Cache
}

// NewResponses returns the Responses of a server.
func NewResponses(o Options) *Responses {
	return &Responses{options: o, endpoint: o.endpoint()}
}

// Stream asks for one answer; see [model.Provider].
func (r *Responses) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return r.refusals.Stream(ctx, req, func(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		return r.schemas.Stream(ctx, req, r.options.profile(profile.Responses, req.Model).Schema, r.stream)
	})
}

func (r *Responses) stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		translated := translate.Request(req, r.options.target(profile.Responses, req.Model))
		return r.endpoint.Post(ctx, req, "responses", r.options.header(), r.params(translated))
	}
	return r.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &responsesAnswer{} })
}
