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

// A modelList is the answer of GET /models: OpenAI's, with what other servers add.
type modelList struct {
	Data []struct {
		ID            string `json:"id"`
		Name          string `json:"name"`
		ContextLength int    `json:"context_length"` // OpenRouter
		ContextWindow int    `json:"context_window"` // Groq
		MaxModelLen   int    `json:"max_model_len"`  // vLLM
	} `json:"data"`
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
	var list modelList
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		_, err := service.List(ctx, option.WithResponseBodyInto(&response))
		return sse.Sent(response, err)
	}
	if err := endpoint.Fetch(ctx, send, &list); err != nil {
		return nil, err
	}
	infos := make([]model.Info, len(list.Data))
	for i, m := range list.Data {
		infos[i] = model.Info{
			ID:            m.ID,
			Provider:      endpoint.Provider,
			Name:          cmp.Or(m.Name, m.ID),
			ContextWindow: cmp.Or(m.ContextLength, m.ContextWindow, m.MaxModelLen),
		}
	}
	return infos, nil
}
