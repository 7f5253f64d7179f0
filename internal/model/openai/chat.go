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

// Chat is a [model.Provider] and [model.Lister] on the Chat Completions wire.
type Chat struct {
	options  Options
	endpoint sse.Endpoint
	refusals fallback.Memory
	schemas  toolschema.Cache
}

// NewChat returns the Chat of a server.
func NewChat(o Options) *Chat {
	return &Chat{options: o, endpoint: o.endpoint()}
}

// Stream asks for one answer; see [model.Provider].
func (c *Chat) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return c.refusals.Stream(ctx, req, func(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
		return c.schemas.Stream(ctx, req, c.options.profile(profile.Chat, req.Model).Schema, c.stream)
	})
}

func (c *Chat) stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	send := func(ctx context.Context) (*http.Response, error) {
		translated := translate.Request(req, c.options.target(profile.Chat, req.Model))
		header := c.options.header()
		if cache := c.options.profile(profile.Chat, req.Model).Cache; cache == profile.CacheHeader && req.Session != "" {
			header.Set(string(cache), req.Session)
		}
		return c.endpoint.Post(ctx, req, "chat/completions", header, c.params(translated))
	}
	return c.endpoint.Stream(ctx, req, send, func() sse.Decoder { return &chatAnswer{profile: c.options.profile(profile.Chat, req.Model)} })
}
