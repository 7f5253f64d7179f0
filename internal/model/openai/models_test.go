package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// Servers that resemble OpenAI's tell more of a model than OpenAI does, each by its own name.
func TestModels(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"object":"list","data":[
			{"id":"gpt-5","object":"model","created":1,"owned_by":"openai"},
			{"id":"a/b","name":"B","context_length":131072,"pricing":{"prompt":"0.1"}},
			{"id":"groq","context_window":8192,"active":true},
			{"id":"vllm","max_model_len":4096,"permission":[]}]}`)
	}))
	t.Cleanup(server.Close)
	o := Options{Name: "work", BaseURL: server.URL + "/v1", HTTP: server.Client()}
	want := []model.Info{
		{ID: "gpt-5", Provider: "work", Name: "gpt-5"},
		{ID: "a/b", Provider: "work", Name: "B", ContextWindow: 131072},
		{ID: "groq", Provider: "work", Name: "groq", ContextWindow: 8192},
		{ID: "vllm", Provider: "work", Name: "vllm", ContextWindow: 4096},
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
