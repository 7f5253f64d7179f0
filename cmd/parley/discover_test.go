package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"parley.dev/parley/internal/engine"
)

// modelServer is an endpoint with a list of models; it answers when it may.
func modelServer(t *testing.T, may <-chan struct{}) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		select {
		case <-may:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"house-model","object":"model","context_window":32000},{"id":"tiny","object":"model"}]}`))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", asked
}

func names(offers []engine.Offer) (all []string) {
	for _, o := range offers {
		all = append(all, o.Name)
	}
	return all
}

// TestDiscover: what an endpoint says of its models is offered behind the default, known
// from then on, and asked for once in a while only.
func TestDiscover(t *testing.T) {
	may := make(chan struct{})
	close(may)
	address, asked := modelServer(t, may)
	m := newModels(Settings{Model: "work/house-model", Providers: map[string]ProviderSettings{"work": {BaseURL: address}}}, environment())
	for range 2 {
		offers := m.Discover(t.Context())
		if got := names(offers); len(got) == 0 || got[0] != "work/house-model" || !slices.Contains(got, "work/tiny") {
			t.Errorf("offered are %q", got)
		}
		if info := offers[0].Info; !info.Known || info.ContextWindow != 32000 {
			t.Errorf("%+v", info)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the endpoint was asked %d times", n)
	}
}

// TestDiscoverDoesNotWait: an endpoint that does not answer in time is left out, and what it
// says later is there the next time.
func TestDiscoverDoesNotWait(t *testing.T) {
	may := make(chan struct{})
	address, _ := modelServer(t, may)
	m := newModels(Settings{Providers: map[string]ProviderSettings{"work": {BaseURL: address}}}, environment())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if got := names(m.Discover(ctx)); !slices.Equal(got, []string{demoModel}) {
		t.Errorf("offered are %q", got)
	}
	close(may)
	if got := names(m.Discover(t.Context())); !slices.Contains(got, "work/house-model") {
		t.Errorf("later, offered are %q", got)
	}
}

// TestOpenEndpoints: only an endpoint that somebody named may have models nobody knows.
func TestOpenEndpoints(t *testing.T) {
	m := newModels(Settings{Providers: map[string]ProviderSettings{"work": {BaseURL: "http://127.0.0.1:1/v1"}}},
		environment("ANTHROPIC_API_KEY", "k", "OPENAI_API_KEY", "k"))
	for name, want := range map[string][2]bool{ // known, open
		"work/whatever":               {false, true},
		"ollama/whatever":             {false, true},
		"anthropic/whatever":          {false, false},
		"openai/whatever":             {false, false},
		"nobody/whatever":             {false, false},
		"whatever":                    {false, false},
		"claude-sonnet-4-5":           {true, false},
		"anthropic/claude-sonnet-4-5": {true, false},
	} {
		found, _ := m.Resolve(name)
		if got := [2]bool{found.Info.Known, found.Open}; got != want {
			t.Errorf("%s: known and open are %v, want %v", name, got, want)
		}
	}
	// Without a key a known model is known all the same: its first turn says what is missing.
	bare := newModels(Settings{}, environment())
	if found, err := bare.Resolve("claude-sonnet-4-5"); !found.Info.Known || err == nil {
		t.Errorf("%+v, %v", found.Info, err)
	}
}
