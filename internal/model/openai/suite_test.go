package openai

import (
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

func optionsFor(c modeltest.Client) Options {
	return Options{BaseURL: c.BaseURL, APIKey: c.Key, Headers: c.Headers, HTTP: c.HTTP, IdleTimeout: c.Idle}
}

func TestChatSuite(t *testing.T) { modeltest.Run(t, chatSubject) }

func TestResponsesSuite(t *testing.T) { modeltest.Run(t, responsesSubject) }
