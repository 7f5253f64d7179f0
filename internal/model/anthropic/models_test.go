package anthropic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

func TestModels(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.String(); got != "/v1/models?limit=1000" || r.Header.Get("Anthropic-Version") == "" {
			t.Errorf("asked for %s, header %v", got, r.Header)
		}
		io.WriteString(w, `{"data":[
			{"type":"model","id":"claude-opus-4-7","display_name":"Claude Opus 4.7","created_at":"2026-04-16T00:00:00Z","max_input_tokens":1000000,"max_tokens":128000},
			{"type":"model","id":"claude-haiku-4-5","created_at":"2025-10-01T00:00:00Z"}],
			"has_more":false,"first_id":"claude-opus-4-7","last_id":"claude-haiku-4-5"}`)
	}))
	t.Cleanup(server.Close)
	got, err := New(Options{Name: "work", BaseURL: server.URL, APIKey: "k", HTTP: server.Client()}).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Info{
		{ID: "claude-opus-4-7", Provider: "work", Name: "Claude Opus 4.7", ContextWindow: 1_000_000, MaxOutput: 128_000},
		{ID: "claude-haiku-4-5", Provider: "work", Name: "claude-haiku-4-5"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
