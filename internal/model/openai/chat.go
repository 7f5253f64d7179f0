package openai

import (
	"context"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// Chat is a [model.Provider] and [model.Lister] on the Chat Completions wire.
type Chat struct {
	options     Options
	endpoint    sse.Endpoint
	completions openai.ChatCompletionService
	tools       sse.Tools
	models      openai.ModelService
}

// NewChat is the Chat of a server.
func NewChat(o Options) *Chat {
	opts := o.request()
	return &Chat{
		options:     o,
		endpoint:    o.endpoint(),
		completions: openai.NewChatCompletionService(opts...),
		models:      openai.NewModelService(opts...),
	}
}

// Stream asks for one answer; see [model.Provider].
func (c *Chat) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		body, err := sse.NewBody(&c.tools, req, c.params, chatTools)
		if err == nil {
			err = c.completions.NewStreaming(ctx, openai.ChatCompletionNewParams{},
				option.WithMiddleware(body.Send), option.WithResponseBodyInto(&response)).Err()
		}
		return sse.Sent(response, err)
	}
	return c.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &chatAnswer{} })
}
