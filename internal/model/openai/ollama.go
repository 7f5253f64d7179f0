package openai

import (
	"context"
	"net/http"
	"time"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
)

// This file asks Ollama for the windows of its models. Its list of models does not have them, and
// requests that are longer are cut without an error.

// ollama is the name of its profile.
const ollama = "ollama"

// ollamaWait bounds the request: what it answers is known at once.
const ollamaWait = 2 * time.Second

// ollamaLoaded is the answer of GET /api/ps: the models that are loaded. Source: Ollama, API.
type ollamaLoaded struct {
	Models []struct {
		Name          string     `json:"name"`
		Model         string     `json:"model"`
		ContextLength sse.Tokens `json:"context_length"`
	} `json:"models"`
}

// withLoaded adds the windows of the models that an Ollama server has loaded. Without an answer infos
// stay as they are.
func (c *Chat) withLoaded(ctx context.Context, infos []model.Info) []model.Info {
	if c.options.profile(profile.Chat, "").Name != ollama {
		return infos
	}
	root := c.endpoint
	root.Address = sse.TrimVersion(root.Address)
	send := func(ctx context.Context) (*http.Response, error) {
		return root.Get(ctx, "api/ps", c.options.header())
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	var loaded ollamaLoaded
	if err := root.Fetch(ctx, send, &loaded); err != nil {
		return infos
	}
	for i := range infos {
		for _, m := range loaded.Models {
			if infos[i].ID == m.Model || infos[i].ID == m.Name {
				infos[i].ContextWindow = int(m.ContextLength)
			}
		}
	}
	return infos
}
