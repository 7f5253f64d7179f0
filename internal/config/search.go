package config

import (
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/websearch"
)

// SearchSettings is the service that answers web searches; without an API there is none.
type SearchSettings struct {
	API       string `json:"api,omitzero"`         // brave, tavily or searxng
	BaseURL   string `json:"base_url,omitzero"`    // searxng has no other
	APIKeyEnv string `json:"api_key_env,omitzero"` // the variable that holds the key
}

// Searcher returns the searcher that is configured; nil if none is.
func (s Settings) Searcher(getenv func(string) string) (tool.Searcher, error) {
	if s.Search.API == "" {
		return nil, nil
	}
	searcher, err := websearch.New(websearch.Options{API: s.Search.API, BaseURL: s.Search.BaseURL, Key: getenv(s.Search.APIKeyEnv)})
	if err != nil {
		return nil, invalid("search", err)
	}
	return searcher, nil
}
