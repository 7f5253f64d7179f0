package openai

import (
	"testing"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

func optionsFor(c modeltest.Client) Options {
	return Options{BaseURL: c.BaseURL, APIKey: c.Key, Headers: c.Headers, HTTP: c.HTTP, IdleTimeout: c.Idle}
}

func TestChatSuite(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: modeltest.OpenAIChat,
		New:  func(c modeltest.Client) model.Provider { return NewChat(optionsFor(c)) },
	})
}

func TestResponsesSuite(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: modeltest.OpenAIResponses,
		New:  func(c modeltest.Client) model.Provider { return NewResponses(optionsFor(c)) },
	})
}
