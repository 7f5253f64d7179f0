package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/model"
)

func TestResolve(t *testing.T) {
	anthropicKey := []string{"ANTHROPIC_API_KEY", "sk-ant-secret"}
	openaiKey := []string{"OPENAI_API_KEY", "sk-secret"}
	server := []string{"OPENAI_BASE_URL", "http://localhost:1/v1"}
	own := Settings{Providers: map[string]ProviderSettings{"lab": {BaseURL: "http://lab/v1", APIKeyEnv: "LAB_KEY", Model: "big"}}}
	cases := []struct {
		name, model string
		settings    Settings
		env         []string
		provider    string // "": not configured
		id          string
	}{
		{"nothing is configured", "", Settings{}, nil, "offline", "demo"},
		{"the setting", "", Settings{Model: "offline/demo"}, openaiKey, "offline", "demo"},
		{"a key alone", "", Settings{}, anthropicKey, "anthropic", "*"},
		{"provider and id", "openai/gpt-x", Settings{}, openaiKey, "openai", "gpt-x"},
		{"no key for it", "openai/gpt-x", Settings{}, anthropicKey, "", ""},
		{"no such provider", "acme/one", Settings{}, openaiKey, "", ""},
		{"any id for a compatible server", "acme/one", Settings{}, server, "openai", "acme/one"},
		{"its own prefix is ours", "openai/one", Settings{}, server, "openai", "one"},
		{"an own provider", "lab/big", own, []string{"LAB_KEY", "k"}, "lab", "big"},
		{"an own provider's default", "", own, []string{"LAB_KEY", "k"}, "lab", "big"},
		{"an own provider without key", "lab/big", own, nil, "", ""},
		{"no key needed", "ollama/tiny", Settings{}, nil, "ollama", "tiny"},
		{"script without script", "offline/script", Settings{}, nil, "", ""},
		{"no such offline model", "offline/gpt", Settings{}, nil, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newModels(c.settings, environment(c.env...))
			got, err := m.Resolve(c.model)
			if c.provider == "" {
				p, ok := errors.AsType[*model.Error](err)
				if !ok || p.Kind != model.NotConfigured || p.Message == "" {
					t.Errorf("error = %v", err)
				}
				return
			}
			if err != nil || got.Provider == nil {
				t.Fatalf("resolve: %v", err)
			}
			if got.Info.Provider != c.provider || c.id != "*" && got.Info.ID != c.id {
				t.Errorf("got %s/%s, want %s/%s", got.Info.Provider, got.Info.ID, c.provider, c.id)
			}
			if got.Info.ContextWindow == 0 {
				t.Error("no context window")
			}
		})
	}
}

func TestGateway(t *testing.T) {
	m := newModels(Settings{}, environment("OPENAI_API_KEY", "sk-secret"))
	m.useGateway(scaiflux.Credentials{
		BaseURL: "https://grid.example/", APIKey: "sgk_live_x", Model: "lab/omni",
		Models: []scaiflux.GatewayModel{{ID: "lab/omni", ContextWindow: 256_000}},
	})
	got, err := m.Resolve("")
	if err != nil || got.Info.ID != "lab/omni" || got.Info.ContextWindow != 256_000 {
		t.Errorf("default = %+v, %v", got.Info, err)
	}
	if got, err := m.Resolve("openai/gpt-x"); err != nil || got.Info.Provider != "scaigrid" || got.Info.ID != "openai/gpt-x" {
		t.Errorf("another's model = %+v, %v", got.Info, err)
	}
	if m.gateway.baseURL != "https://grid.example/oai/v1" {
		t.Errorf("base URL = %s", m.gateway.baseURL)
	}
	if !slices.Contains(m.secrets(), "sgk_live_x") {
		t.Error("the gateway's key is not kept from children")
	}
	if names := strings.Join(m.Names(), " "); !strings.Contains(names, "lab/omni") {
		t.Errorf("names = %s", names)
	}
}
