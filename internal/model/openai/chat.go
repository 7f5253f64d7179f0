package openai

import (
	"context"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/fallback"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
	"parley.dev/parley/internal/model/toolschema"
	"parley.dev/parley/internal/model/translate"
)

// Chat is a [model.Provider] and [model.Lister] on the Chat Completions wire.
type Chat struct {
	options     Options
	endpoint    sse.Endpoint
	completions openai.ChatCompletionService
	tools       sse.Tools
	refusals    fallback.Memory
	schemas     toolschema.Cache
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
	return c.refusals.Stream(ctx, req, func(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		return c.schemas.Stream(ctx, req, c.options.profile(profile.Chat, req.Model).Schema, c.stream)
	})
}

func (c *Chat) stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		told := translate.Request(req, c.options.target(profile.Chat, req.Model))
		body, err := sse.NewBody(&c.tools, told, c.params, chatTools)
		if err == nil {
			opts := []option.RequestOption{option.WithMiddleware(body.Send), option.WithResponseBodyInto(&response)}
			if cache := c.options.profile(profile.Chat, req.Model).Cache; cache == profile.CacheHeader && req.Session != "" {
				opts = append(opts, option.WithHeader(string(cache), req.Session))
			}
			err = c.completions.NewStreaming(ctx, openai.ChatCompletionNewParams{}, opts...).Err()
		}
		return sse.Sent(response, err)
	}
	return c.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &chatAnswer{profile: c.options.profile(profile.Chat, req.Model)} })
}
