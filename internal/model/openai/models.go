package openai

import (
	"cmp"
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// A listedModel is an entry of the answer of GET /models: OpenAI's, with what other servers add.
type listedModel struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	ContextLength int    `json:"context_length"` // OpenRouter
	ContextWindow int    `json:"context_window"` // Groq
	MaxModelLen   int    `json:"max_model_len"`  // vLLM
}

// Models asks the server which models it has, in its order. The catalogue knows more of each.
func (c *Chat) Models(ctx context.Context) ([]model.Info, error) {
	return listModels(ctx, &c.endpoint, c.models)
}

// Models asks the server which models it has, in its order. The catalogue knows more of each.
func (r *Responses) Models(ctx context.Context) ([]model.Info, error) {
	return listModels(ctx, &r.endpoint, r.models)
}

func listModels(ctx context.Context, endpoint *sse.Endpoint, service openai.ModelService) ([]model.Info, error) {
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		_, err := service.List(ctx, option.WithResponseBodyInto(&response))
		return sse.Sent(response, err)
	}
	return sse.List(ctx, endpoint, send, func(m listedModel) model.Info {
		return model.Info{ID: m.ID, Name: m.Name, ContextWindow: cmp.Or(m.ContextLength, m.ContextWindow, m.MaxModelLen)}
	})
}
