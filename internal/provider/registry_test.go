package provider

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

func TestResolve(t *testing.T) {
	anthropicKey := []string{"ANTHROPIC_API_KEY", "sk-ant-secret"}
	openaiKey := []string{"OPENAI_API_KEY", "sk-secret"}
	server := []string{"OPENAI_BASE_URL", "http://localhost:1/v1"}
	own := config.Settings{Providers: map[string]config.ProviderSettings{"lab": {BaseURL: "http://lab/v1", APIKeyEnv: "LAB_KEY", Model: "big"}}}
	cases := []struct {
		name, model string
		settings    config.Settings
		env         []string
		provider    string // "": not configured
		id          string
	}{
		{"nothing is configured", "", config.Settings{}, nil, "offline", "demo"},
		{"the setting", "", config.Settings{Model: "offline/demo"}, openaiKey, "offline", "demo"},
		{"a key alone", "", config.Settings{}, anthropicKey, "anthropic", "*"},
		{"Mistral's key alone", "", config.Settings{}, []string{"MISTRAL_API_KEY", "k"}, "mistral", "mistral-medium-latest"},
		{"Groq's key alone", "", config.Settings{}, []string{"GROQ_API_KEY", "k"}, "groq", "openai/gpt-oss-120b"},
		{"Moonshot's key alone", "", config.Settings{}, []string{"MOONSHOT_API_KEY", "k"}, "moonshot", "kimi-k3"},
		{"Z.ai's key alone", "", config.Settings{}, []string{"ZAI_API_KEY", "k"}, "zai", "glm-5.2"},
		{"Cerebras's key alone", "", config.Settings{}, []string{"CEREBRAS_API_KEY", "k"}, "cerebras", "gpt-oss-120b"},
		{"provider and id", "openai/gpt-x", config.Settings{}, openaiKey, "openai", "gpt-x"},
		{"no key for it", "openai/gpt-x", config.Settings{}, anthropicKey, "", ""},
		{"no such provider", "acme/one", config.Settings{}, openaiKey, "", ""},
		{"another provider's id for a compatible server", "acme/one", config.Settings{}, server, "", ""},
		{"any id without a provider for a compatible server", "one", config.Settings{}, server, "openai", "one"},
		{"the same where another provider can be called", "one", config.Settings{}, append(anthropicKey, server...), "", ""},
		{"an id of another provider that has a key", "claude-sonnet-4-5", config.Settings{}, append(anthropicKey, server...), "anthropic", "claude-sonnet-4-5"},
		{"an id of another provider that has none", "claude-sonnet-4-5", config.Settings{}, server, "openai", "claude-sonnet-4-5"},
		{"an id with a slash", "openai/acme/one", config.Settings{}, server, "openai", "acme/one"},
		{"its own prefix is ours", "openai/one", config.Settings{}, server, "openai", "one"},
		{"an own provider", "lab/big", own, []string{"LAB_KEY", "k"}, "lab", "big"},
		{"an own provider's default", "", own, []string{"LAB_KEY", "k"}, "lab", "big"},
		{"an own provider without key", "lab/big", own, nil, "", ""},
		{"no key needed", "ollama/tiny", config.Settings{}, nil, "ollama", "tiny"},
		{"script without script", "offline/script", config.Settings{}, nil, "", ""},
		{"no such offline model", "offline/gpt", config.Settings{}, nil, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := New(Options{Settings: c.settings, Getenv: configtest.Environment(c.env...)})
			got, err := r.Resolve(c.model)
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

// OPENAI_BASE_URL is often set to OpenAI's own address, or to OpenAI at Azure: that is no compatible
// server.
func TestOpenAIAddress(t *testing.T) {
	for _, c := range []struct {
		address, api string
		settings     config.Settings
		whole        bool
	}{
		{"", config.APIResponses, config.Settings{}, false},
		{"https://api.openai.com/v1", config.APIResponses, config.Settings{}, false},
		{"http://api.openai.com/v1/", config.APIResponses, config.Settings{}, false},
		{"https://house.openai.azure.com/openai/v1/", config.APIResponses, config.Settings{}, false},
		{"https://api.openai.com/v1", config.APIChat, config.Settings{OpenAIAPI: config.APIChat}, false},
		{"http://localhost:8000/v1", config.APIChat, config.Settings{}, true},
		{"https://api.openai.com.example.com/v1", config.APIChat, config.Settings{}, true},
		{"http://localhost:8000/v1", config.APIResponses, config.Settings{OpenAIAPI: config.APIResponses}, true},
	} {
		r := New(Options{Settings: c.settings, Getenv: configtest.Environment("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", c.address)})
		i := slices.IndexFunc(r.endpoints, func(e Endpoint) bool { return e.Name == "openai" })
		if e := r.endpoints[i]; e.API != c.api || e.whole != c.whole {
			t.Errorf("%q: api %s, a server of its own: %t", c.address, e.API, e.whole)
		}
	}
}

// A provider has the profile that the configuration names, else the one of a compatible server.
func TestProfileOfProvider(t *testing.T) {
	for _, c := range []struct{ profile, id, limit string }{
		{"mistral", "XYtGGM5F8", "max_tokens"},
		{"groq", "call_b", "max_completion_tokens"},
		{"", "call_b", "max_tokens"},
	} {
		server := modeltest.NewServer(t, modeltest.Stream(modeltest.Text("ok")))
		r := New(Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{"lab": {BaseURL: server.URL + "/v1", Profile: c.profile}}}, Getenv: configtest.Environment()})
		found, err := r.Resolve("lab/m")
		if err != nil {
			t.Fatal(err)
		}
		req := &model.Request{Model: "m", MaxTokens: 100, Messages: []model.Message{
			model.UserText("Read it."),
			{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindToolCall, Call: &model.Call{ID: "call_b", Name: "read", Input: []byte("{}")}}}},
			{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "call_b", Text: "text"}}}},
		}}
		for _, err := range found.Provider.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
		}
		body := server.Requests()[0].Body
		result := body["messages"].([]any)[2].(map[string]any)
		if _, ok := body[c.limit]; !ok || result["tool_call_id"] != c.id {
			t.Errorf("profile %q: %s", c.profile, server.Requests()[0].Raw)
		}
	}
}

func TestGateway(t *testing.T) {
	r := New(Options{Getenv: configtest.Environment("OPENAI_API_KEY", "sk-secret")})
	r.UseGateway(Gateway{
		Name: "scaigrid", BaseURL: "https://grid.example/oai/v1", Key: "sgk_live_x", Model: "lab/omni",
		Models: map[string]model.Info{"lab/omni": {ContextWindow: 256_000}},
	})
	got, err := r.Resolve("")
	if err != nil || got.Info.ID != "lab/omni" || got.Info.ContextWindow != 256_000 {
		t.Errorf("default = %+v, %v", got.Info, err)
	}
	if got, err := r.Resolve("openai/gpt-x"); err != nil || got.Info.Provider != "scaigrid" || got.Info.ID != "openai/gpt-x" {
		t.Errorf("another's model = %+v, %v", got.Info, err)
	}
	if !slices.Contains(r.Secrets(), "sgk_live_x") {
		t.Error("the gateway's key is not kept from children")
	}
	if names := strings.Join(r.Names(), " "); !strings.Contains(names, "lab/omni") {
		t.Errorf("names = %s", names)
	}
}
