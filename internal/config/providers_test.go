package config

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/model"
)

// TestEndpointSettingsChecked reads settings that cannot be used.
func TestEndpointSettingsChecked(t *testing.T) {
	for problem, own := range map[string]ProviderSettings{
		`p.base_url: "localhost:1" has no scheme`:         {BaseURL: "localhost:1"},
		`p.idle_timeout: "soon" is not a time`:            {IdleTimeout: "soon"},
		`p.idle_timeout: "1ms" is not a time`:             {IdleTimeout: "1ms"},
		`p.service_tier: "Flex!" is no name`:              {ServiceTier: "Flex!"},
		`p.cache_ttl: "2h": expected 5m or 1h`:            {CacheTTL: "2h"},
		`p.headers.a b: this cannot be`:                   {Headers: map[string]string{"a b": "c"}},
		`p.models.m.context_window: 7 tokens are too few`: {Models: map[string]ModelSettings{"m": {ContextWindow: 7}}},
		`p.models.m.max_output: -1: expected a number`:    {Models: map[string]ModelSettings{"m": {MaxOutput: -1}}},
		`p.models.m.price: a price cannot be negative`:    {Models: map[string]ModelSettings{"m": {Price: &model.Price{Output: -1}}}},
		`p.models.m.thinking: unknown level "much"`:       {Models: map[string]ModelSettings{"m": {Thinking: []model.Thinking{"much"}}}},
	} {
		if err := own.checkEndpoint("p"); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %s", err, problem)
		}
	}
	fine := ProviderSettings{BaseURL: "http://host", IdleTimeout: "20m", Models: map[string]ModelSettings{"m": {}}}
	if err := fine.checkEndpoint("p"); err != nil {
		t.Error(err)
	}
}
