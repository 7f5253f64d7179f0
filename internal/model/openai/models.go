package openai

import (
	"cmp"
	"context"
	"net/http"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// A listedModel is an entry of the answer of GET /models: OpenAI's, with what other servers add.
type listedModel struct {
	ID   string `json:"id"`
	Name string `json:"name"`

	LoadedContext  sse.Tokens `json:"loaded_context_length"` // LM Studio
	ContextLength  sse.Tokens `json:"context_length"`        // OpenRouter, Together
	ContextWindow  sse.Tokens `json:"context_window"`        // Groq
	MaxModelLen    sse.Tokens `json:"max_model_len"`         // vLLM, SGLang
	MaxContext     sse.Tokens `json:"max_context_length"`    // Mistral, LM Studio
	NCtx           sse.Tokens `json:"n_ctx"`
	MaxInputTokens sse.Tokens `json:"max_input_tokens"` // LiteLLM
	Meta           struct {
		NCtx      sse.Tokens `json:"n_ctx"`       // llama.cpp: of the running server
		NCtxTrain sse.Tokens `json:"n_ctx_train"` // llama.cpp: of the model
	} `json:"meta"`

	MaxCompletion   sse.Tokens `json:"max_completion_tokens"` // Groq
	MaxOutputTokens sse.Tokens `json:"max_output_tokens"`     // LiteLLM
	Top             struct {
		ContextLength sse.Tokens `json:"context_length"`
		MaxCompletion sse.Tokens `json:"max_completion_tokens"`
	} `json:"top_provider"` // OpenRouter
}

// info returns what the entry says of its model. Of several windows that of the running server counts.
func (m *listedModel) info() model.Info {
	return model.Info{
		ID: m.ID, Name: m.Name,
		ContextWindow: int(cmp.Or(m.LoadedContext, m.Top.ContextLength, m.ContextLength, m.ContextWindow, m.MaxModelLen, m.Meta.NCtx, m.NCtx,
			m.MaxContext, m.MaxInputTokens, m.Meta.NCtxTrain)),
		MaxOutput: int(cmp.Or(m.Top.MaxCompletion, m.MaxCompletion, m.MaxOutputTokens)),
	}
}

// Models asks the server which models it has, in its order. The catalogue knows more of each.
func (c *Chat) Models(ctx context.Context) ([]model.Info, error) {
	infos, err := listModels(ctx, &c.endpoint, c.options.header())
	if err != nil {
		return nil, err
	}
	return c.withLoaded(ctx, infos), nil
}

// Models asks the server which models it has, in its order. The catalogue knows more of each.
func (r *Responses) Models(ctx context.Context) ([]model.Info, error) {
	return listModels(ctx, &r.endpoint, r.options.header())
}

func listModels(ctx context.Context, endpoint *sse.Endpoint, header http.Header) ([]model.Info, error) {
	send := func(ctx context.Context) (*http.Response, error) {
		return endpoint.Get(ctx, "models", header)
	}
	return sse.List(ctx, endpoint, send, func(m listedModel) model.Info { return m.info() })
}
