package provider

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// TestEndpointRequests checks what variables and settings of a provider make of its requests.
func TestEndpointRequests(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	own := func(s config.ProviderSettings) config.Settings {
		return config.Settings{Providers: map[string]config.ProviderSettings{"work": s}}
	}
	for _, c := range []struct {
		name, model, url string
		settings         config.Settings
		env              []string
		headers          map[string]string // "": not sent
		body             []string          // parts
	}{
		{
			name: "headers with variables", model: "work/m", url: "/v1/chat/completions",
			settings: own(config.ProviderSettings{BaseURL: server.URL, Headers: map[string]string{"cf-aig-authorization": "Bearer ${CF_TOKEN}", "X-Team": "a$b"}}),
			env:      []string{"CF_TOKEN", "gateway-token"},
			headers:  map[string]string{"Cf-Aig-Authorization": "Bearer gateway-token", "X-Team": "a$b", "Authorization": ""},
		},
		{
			name: "Azure", model: "work/m", url: "/openai/v1/responses?api-version=preview",
			settings: own(config.ProviderSettings{API: config.APIResponses, BaseURL: server.URL + "/openai/v1/responses?api-version=preview", Headers: map[string]string{"api-key": "${AZURE_KEY}"}}),
			env:      []string{"AZURE_KEY", "azure-secret"},
			headers:  map[string]string{"Api-Key": "azure-secret", "Authorization": ""},
		},
		{
			name: "headers in place of the key of a provider that is built in", model: "groq/m", url: "/openai/v1/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"groq": {BaseURL: server.URL, Headers: map[string]string{"X-Gateway": "${GATE}"}}}},
			env:      []string{"GATE", "gateway-secret"},
			headers:  map[string]string{"X-Gateway": "gateway-secret"},
		},
		{
			name: "a token for Anthropic's wire", model: "anthropic/m", url: "/v1/messages?beta=1",
			env:     []string{"ANTHROPIC_AUTH_TOKEN", "bearer-token", "ANTHROPIC_API_KEY", "sk-ant-key", "ANTHROPIC_BASE_URL", server.URL + "/v1/messages?beta=1"},
			headers: map[string]string{"Authorization": "Bearer bearer-token", "X-Api-Key": ""},
		},
		{
			name: "organisation and project", model: "openai/m", url: "/v1/responses",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"openai": {BaseURL: server.URL}}},
			env:      []string{"OPENAI_API_KEY", "sk-secret", "OPENAI_ORG_ID", "org-1", "OPENAI_PROJECT_ID", "proj-1"},
			headers:  map[string]string{"Authorization": "Bearer sk-secret", "Openai-Organization": "org-1", "Openai-Project": "proj-1"},
		},
		{
			name: "Parley as an app of OpenRouter", model: "openrouter/m", url: "/api/v1/chat/completions",
			env:     []string{"OPENROUTER_API_KEY", "sk-or", "OPENROUTER_BASE_URL", server.URL + "/api/v1"},
			headers: map[string]string{"HTTP-Referer": "https://parley.dev", "X-Title": "Parley", "Authorization": "Bearer sk-or"},
		},
		{
			name: "OpenRouter without an app", model: "openrouter/m", url: "/api/v1/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"openrouter": {BaseURL: server.URL + "/api/v1", Headers: map[string]string{"http-referer": "", "X-Title": ""}}}},
			env:      []string{"OPENROUTER_API_KEY", "sk-or"},
			headers:  map[string]string{"HTTP-Referer": "", "X-Title": ""},
		},
		{
			name: "the conversation in a header for xAI's cache", model: "xai/grok-4.6", url: "/v1/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"xai": {BaseURL: server.URL + "/v1"}}},
			env:      []string{"XAI_API_KEY", "xai-secret"}, headers: map[string]string{"x-grok-conv-id": "the session"},
		},
		{
			name: "a tier of the service", model: "openai/gpt-5.5", url: "/v1/responses",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"openai": {BaseURL: server.URL, ServiceTier: "flex"}}},
			env:      []string{"OPENAI_API_KEY", "sk-secret"}, body: []string{`"service_tier":"flex"`},
		},
		{
			name: "a tier on the Chat wire", model: "groq/m", url: "/openai/v1/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"groq": {BaseURL: server.URL, ServiceTier: "flex"}}},
			env:      []string{"GROQ_API_KEY", "gsk"}, body: []string{`"service_tier":"flex"`},
		},
		{
			name: "an hour in the cache", model: "anthropic/claude-sonnet-5", url: "/v1/messages",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"anthropic": {BaseURL: server.URL, CacheTTL: "1h", ServiceTier: "standard_only"}}},
			env:      []string{"ANTHROPIC_API_KEY", "sk-ant"}, body: []string{`"cache_control":{"ttl":"1h","type":"ephemeral"}`, `"service_tier":"standard_only"`},
		},
		{
			name: "an hour in the cache through OpenRouter", model: "openrouter/anthropic/claude-sonnet-5", url: "/api/v1/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"openrouter": {BaseURL: server.URL + "/api/v1", CacheTTL: "1h"}}},
			env:      []string{"OPENROUTER_API_KEY", "sk-or"}, body: []string{`"cache_control":{"ttl":"1h","type":"ephemeral"}`},
		},
		{
			name: "Azure with its key as a bearer token", model: "azure/gpt-5.5", url: "/openai/v1/responses",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"azure": {API: config.APIResponses, BaseURL: server.URL + "/openai/v1", APIKeyEnv: "AZURE_OPENAI_API_KEY"}}},
			env:      []string{"AZURE_OPENAI_API_KEY", "azure-secret"},
			headers:  map[string]string{"Authorization": "Bearer azure-secret"},
		},
		{
			name: "Vertex AI", model: "vertex/google/gemini-2.5-flash", url: "/v1/projects/p/locations/global/endpoints/openapi/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"vertex": {BaseURL: server.URL + "/v1/projects/p/locations/global/endpoints/openapi", APIKeyEnv: "VERTEX_ACCESS_TOKEN"}}},
			env:      []string{"VERTEX_ACCESS_TOKEN", "ya29.secret"},
			headers:  map[string]string{"Authorization": "Bearer ya29.secret"}, body: []string{`"model":"google/gemini-2.5-flash"`},
		},
		{
			name: "Bedrock", model: "bedrock/openai.gpt-oss-120b-1:0", url: "/openai/v1/chat/completions",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"bedrock": {BaseURL: server.URL + "/openai/v1", APIKeyEnv: "AWS_BEARER_TOKEN_BEDROCK"}}},
			env:      []string{"AWS_BEARER_TOKEN_BEDROCK", "bedrock-secret"},
			headers:  map[string]string{"Authorization": "Bearer bedrock-secret"},
		},
		{
			name: "Claude at Bedrock", model: "bedrock/anthropic.claude-opus-5", url: "/anthropic/v1/messages",
			settings: config.Settings{Providers: map[string]config.ProviderSettings{"bedrock": {API: config.APIAnthropic, BaseURL: server.URL + "/anthropic", Headers: map[string]string{"Authorization": "Bearer ${AWS_BEARER_TOKEN_BEDROCK}"}}}},
			env:      []string{"AWS_BEARER_TOKEN_BEDROCK", "bedrock-secret"},
			headers:  map[string]string{"Authorization": "Bearer bedrock-secret", "X-Api-Key": ""},
		},
	} {
		m := New(Options{Settings: c.settings, Getenv: configtest.Environment(c.env...)})
		found, err := m.Resolve(c.model)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		req := modeltest.Hello()
		req.Model, req.Session = found.Info.ID, "the session"
		for _, err := range found.Provider.Stream(t.Context(), req) {
			if p, ok := errors.AsType[*model.Error](err); !ok || p.Status != http.StatusTeapot {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if got.URL.String() != c.url {
			t.Errorf("%s: requested %s, want %s", c.name, got.URL, c.url)
		}
		for _, part := range c.body {
			if !strings.Contains(string(body), part) {
				t.Errorf("%s: the request lacks %s: %s", c.name, part, body)
			}
		}
		for name, want := range c.headers {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s: header %s is %q, want %q", c.name, name, value, want)
			}
			if word := strings.TrimPrefix(want, "Bearer "); len(word) >= shortSecret && slices.Contains(c.env, word) && !slices.Contains(m.Secrets(), word) {
				t.Errorf("%s: the environment of children may contain %s", c.name, name)
			}
		}
	}
}

// TestEndpointProblems checks that an endpoint that cannot be called says why, and what to change.
func TestEndpointProblems(t *testing.T) {
	headers := config.ProviderSettings{BaseURL: "http://lab/v1", Headers: map[string]string{"X-Key": "${LAB_KEY}"}}
	for problem, c := range map[string]struct {
		model    string
		settings config.Settings
		env      []string
	}{
		"providers.lab.headers.X-Key: the variable LAB_KEY is not set":     {"lab/m", config.Settings{Providers: map[string]config.ProviderSettings{"lab": headers}}, nil},
		"providers.lab.headers.X-Key: the value cannot be sent":            {"lab/m", config.Settings{Providers: map[string]config.ProviderSettings{"lab": headers}}, []string{"LAB_KEY", "a\nb"}},
		"OPENAI_BASE_URL: \"localhost:8000/v1\" has no scheme: write http": {"openai/m", config.Settings{}, []string{"OPENAI_BASE_URL", "localhost:8000/v1"}},
	} {
		_, err := New(Options{Settings: c.settings, Getenv: configtest.Environment(c.env...)}).Resolve(c.model)
		if p, ok := errors.AsType[*model.Error](err); !ok || p.Kind != model.NotConfigured || !strings.Contains(p.Message, problem) {
			t.Errorf("%v, want %s", err, problem)
		}
	}
}

// TestModelSettings checks that what the configuration states of a model counts.
func TestModelSettings(t *testing.T) {
	no := false
	own := config.Settings{Providers: map[string]config.ProviderSettings{"lab": {BaseURL: "http://127.0.0.1:1/v1", Models: map[string]config.ModelSettings{
		"big":        {ContextWindow: 50_000, MaxOutput: 4000, Images: &no, Thinking: []model.Thinking{model.Low, model.Off}, Price: &model.Price{Input: 1, Output: 2}},
		"gpt-4o":     {Images: &no},
		"o3-mini-x1": {Thinking: []model.Thinking{}},
	}}}}
	r := New(Options{Settings: own, Getenv: configtest.Environment()})
	got, _ := r.Resolve("lab/big")
	want := model.Info{
		ID: "big", Provider: "lab", Name: "big", API: config.APIChat, ContextWindow: 50_000, MaxOutput: 4000, Known: true,
		Thinking: []model.Thinking{model.Low}, Price: model.Price{Input: 1, Output: 2},
	}
	if diff := cmp.Diff(want, got.Info); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, _ := r.Resolve("lab/gpt-4o"); got.Info.Images || got.Info.ContextWindow != 128_000 || got.Info.Price.Input == 0 {
		t.Errorf("one property: %+v", got.Info)
	}
	if got, _ := r.Resolve("lab/o3-mini-x1"); len(got.Info.Thinking) != 0 {
		t.Errorf("no levels: %+v", got.Info)
	}
	if !slices.Contains(r.Names(), "lab/big") {
		t.Errorf("names = %s", r.Names())
	}
	hour := New(Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{"anthropic": {CacheTTL: "1h"}}}, Getenv: configtest.Environment("ANTHROPIC_API_KEY", "k")})
	if got, _ := hour.Resolve("anthropic/claude-opus-5"); got.Info.Price.CacheWrite != 10 {
		t.Errorf("an hour in the cache costs %v", got.Info.Price.CacheWrite)
	}
	e := r.endpoints[slices.IndexFunc(r.endpoints, func(e Endpoint) bool { return e.Name == "lab" })]
	r.windows.learn(e, "big", 20_000)
	if got, _ := r.Resolve("lab/big"); got.Info.ContextWindow != 20_000 {
		t.Errorf("a smaller window that the server names: %d", got.Info.ContextWindow)
	}
}

// TestIdleTimeout checks that the setting reaches the provider.
func TestIdleTimeout(t *testing.T) {
	own := config.ProviderSettings{BaseURL: "http://host", IdleTimeout: "20m"}
	if e := (Endpoint{Name: "p"}).with(own, "", configtest.Environment()); e.idle != 20*time.Minute {
		t.Errorf("silence of %s", e.idle)
	}
}
