package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// Servers that resemble OpenAI's report more of a model than OpenAI does, each by its own name.
func TestModels(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"object":"list","data":[
			{"id":"gpt-5","object":"model","created":1,"owned_by":"openai"},
			{"id":"a/b","name":"B","context_length":131072,"pricing":{"prompt":"0.1"}},
			{"id":"groq","context_window":8192,"active":true},
			{"id":"vllm","max_model_len":4096,"permission":[]},
			{"id":"llama","meta":{"n_ctx":8192,"n_ctx_train":131072}},
			{"id":"older-llama","meta":{"n_ctx_train":32768}},
			{"id":"studio","max_context_length":131072,"loaded_context_length":4096},
			{"id":"router","context_length":200000,"top_provider":{"context_length":128000,"max_completion_tokens":8000}},
			{"id":"groq-2","context_window":131072,"max_completion_tokens":32768},
			{"id":"odd","context_length":"8192","max_model_len":null,"context_window":-1,"max_context_length":1e3,"meta":{"n_ctx":{}}}]}`)
	}))
	t.Cleanup(server.Close)
	o := Options{Name: "work", BaseURL: server.URL + "/v1", HTTP: server.Client()}
	want := []model.Info{
		{ID: "gpt-5", Provider: "work", Name: "gpt-5"},
		{ID: "a/b", Provider: "work", Name: "B", ContextWindow: 131072},
		{ID: "groq", Provider: "work", Name: "groq", ContextWindow: 8192},
		{ID: "vllm", Provider: "work", Name: "vllm", ContextWindow: 4096},
		{ID: "llama", Provider: "work", Name: "llama", ContextWindow: 8192},
		{ID: "older-llama", Provider: "work", Name: "older-llama", ContextWindow: 32768},
		{ID: "studio", Provider: "work", Name: "studio", ContextWindow: 4096},
		{ID: "router", Provider: "work", Name: "router", ContextWindow: 128000, MaxOutput: 8000},
		{ID: "groq-2", Provider: "work", Name: "groq-2", ContextWindow: 131072, MaxOutput: 32768},
		{ID: "odd", Provider: "work", Name: "odd", ContextWindow: 1000},
	}
	for name, lister := range map[string]model.Lister{"chat": NewChat(o), "responses": NewResponses(o)} {
		got, err := lister.Models(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOllamaWindows reads the windows of loaded models, which Ollama's list does not have.
func TestOllamaWindows(t *testing.T) {
	for name, loaded := range map[string]struct {
		body string
		want int
	}{
		"loaded":      {`{"models":[{"name":"qwen3:8b","model":"qwen3:8b","context_length":4096}]}`, 4096},
		"not loaded":  {`{"models":[]}`, 0},
		"an old one":  {`{"models":[{"name":"qwen3:8b","model":"qwen3:8b"}]}`, 0},
		"not Ollama":  {`not found`, 0},
		"other names": {`{"models":[{"name":"llama","model":"llama","context_length":4096}]}`, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/v1/models":
				io.WriteString(w, `{"data":[{"id":"qwen3:8b"}]}`)
			case "/api/ps":
				io.WriteString(w, loaded.body)
			default:
				t.Errorf("%s: requested %s", name, r.URL)
			}
		}))
		t.Cleanup(server.Close)
		for profile, want := range map[string]int{"ollama": loaded.want, "vllm": 0} {
			infos, err := NewChat(Options{BaseURL: server.URL + "/v1", Profile: profile}).Models(t.Context())
			if err != nil || len(infos) != 1 || infos[0].ContextWindow != want {
				t.Errorf("%s, %s: %+v, %v; want a window of %d", name, profile, infos, err, want)
			}
		}
	}
}
