package anthropic

import (
	"testing"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

func TestSuite(t *testing.T) {
	modeltest.Run(t, modeltest.Subject{
		Wire: modeltest.Anthropic,
		New: func(c modeltest.Client) model.Provider {
			return New(Options{BaseURL: c.BaseURL, APIKey: c.Key, Headers: c.Headers, HTTP: c.HTTP, IdleTimeout: c.Idle})
		},
	})
}
