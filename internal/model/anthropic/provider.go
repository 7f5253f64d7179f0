package anthropic

import (
	"cmp"
	"context"
	"iter"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// maxModels is the longest list of models that is asked for; the wire allows no more.
const maxModels = 1000

// Provider is a [model.Provider] and [model.Lister] on the Messages wire.
type Provider struct {
	endpoint sse.Endpoint
	messages anthropic.MessageService
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
		opts := append(betas(req), option.WithResponseBodyInto(&response))
		stream := p.messages.NewStreaming(ctx, params(req), opts...)
		return sse.Sent(response, stream.Err())
	}
	return p.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &answer{} })
}

// A modelList is the answer of GET /v1/models.
type modelList struct {
	Data []struct {
		ID             string `json:"id"`
		DisplayName    string `json:"display_name"`
		MaxInputTokens int    `json:"max_input_tokens"`
		MaxTokens      int    `json:"max_tokens"`
	} `json:"data"`
}

// Models asks the server which models it has, newest first. The catalogue knows more of each.
func (p *Provider) Models(ctx context.Context) ([]model.Info, error) {
	var list modelList
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		query := anthropic.ModelListParams{Limit: anthropic.Int(maxModels)}
		_, err := p.models.List(ctx, query, option.WithResponseBodyInto(&response))
		return sse.Sent(response, err)
	}
	if err := p.endpoint.Fetch(ctx, send, &list); err != nil {
		return nil, err
	}
	infos := make([]model.Info, len(list.Data))
	for i, m := range list.Data {
		infos[i] = model.Info{
			ID:            m.ID,
			Provider:      p.endpoint.Provider,
			Name:          cmp.Or(m.DisplayName, m.ID),
			ContextWindow: m.MaxInputTokens,
			MaxOutput:     m.MaxTokens,
		}
	}
	return infos, nil
}
