package openai

import (
	"context"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/fallback"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
	"parley.dev/parley/internal/model/toolschema"
	"parley.dev/parley/internal/model/translate"
)

// Responses is a [model.Provider] and [model.Lister] on the Responses wire. It keeps no
// state at the server: every request tells the whole conversation, with the reasoning
// encrypted in the thinking blocks' signatures.
type Responses struct {
	options   Options
	endpoint  sse.Endpoint
	responses responses.ResponseService
	tools     sse.Tools
	refusals  fallback.Memory
	schemas   toolschema.Cache
	models    openai.ModelService
}

// NewResponses is the Responses of a server.
func NewResponses(o Options) *Responses {
	opts := o.request()
	return &Responses{
		options:   o,
		endpoint:  o.endpoint(),
		responses: responses.NewResponseService(opts...),
		models:    openai.NewModelService(opts...),
	}
}

// Stream asks for one answer; see [model.Provider].
func (r *Responses) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return r.refusals.Stream(ctx, req, func(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		return r.schemas.Stream(ctx, req, r.options.profile(profile.Responses, req.Model).Schema, r.stream)
	})
}

func (r *Responses) stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		told := translate.Request(req, r.options.target(profile.Responses, req.Model))
		body, err := sse.NewBody(&r.tools, told, r.params, functionTools)
		if err == nil {
			err = r.responses.NewStreaming(ctx, responses.ResponseNewParams{},
				option.WithMiddleware(body.Send), option.WithResponseBodyInto(&response)).Err()
		}
		return sse.Sent(response, err)
	}
	return r.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &responsesAnswer{} })
}
