package openai

import (
	"context"
	"net/http"
	"strings"
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
	base, _ := sse.SplitQuery(c.options.BaseURL)
	address := strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1") + "/api/ps"
	send := func(ctx context.Context) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		if c.options.APIKey != "" {
			r.Header.Set("Authorization", "Bearer "+c.options.APIKey)
		}
		for name, value := range c.options.Headers {
			r.Header.Set(name, value)
		}
		client := c.options.HTTP
		if client == nil {
			client = http.DefaultClient
		}
		return client.Do(r)
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	var loaded ollamaLoaded
	if err := c.endpoint.Fetch(ctx, send, &loaded); err != nil {
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
