package anthropic

import (
	"context"
	"net/http"
	"strconv"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// maxModels is the longest list of models that is asked for; the wire allows no more.
const maxModels = 1000

// A listedModel is an entry of the answer of GET /v1/models.
type listedModel struct {
	ID             string `json:"id"`
	DisplayName    string `json:"display_name"`
	MaxInputTokens int    `json:"max_input_tokens"`
	MaxTokens      int    `json:"max_tokens"`
}

// Models asks the server which models it has, newest first. The catalogue knows more of each.
func (p *Provider) Models(ctx context.Context) ([]model.Info, error) {
	send := func(ctx context.Context) (*http.Response, error) {
		return p.endpoint.Get(ctx, "v1/models?limit="+strconv.Itoa(maxModels), p.options.header())
	}
	return sse.List(ctx, &p.endpoint, send, func(m listedModel) model.Info {
		return model.Info{ID: m.ID, Name: m.DisplayName, ContextWindow: m.MaxInputTokens, MaxOutput: m.MaxTokens}
	})
}
