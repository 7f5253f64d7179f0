package provider

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

// modelServer returns an endpoint with a list of models; it answers when it may.
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

// TestDiscover: what an endpoint says of its models is offered after the default, known
// from then on, and asked for once in a while only.
func TestDiscover(t *testing.T) {
	may := make(chan struct{})
	close(may)
	address, asked := modelServer(t, may)
	r := New(Options{Settings: config.Settings{Model: "work/house-model", Providers: map[string]config.ProviderSettings{"work": {BaseURL: address}}}, Getenv: configtest.Environment()})
	for range 2 {
		offers := r.Discover(t.Context())
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

// listServer returns an endpoint that has the models of these ids.
func listServer(t *testing.T, ids ...string) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Authorization"); key != "" {
			t.Errorf("a key was sent: %s", key)
		}
		if ids == nil {
			http.NotFound(w, r)
			return
		}
		var data []string
		for _, id := range ids {
			data = append(data, `{"id":"`+id+`"}`)
		}
		_, _ = w.Write([]byte(`{"data":[` + strings.Join(data, ",") + `]}`))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// TestDefaultOfEndpoint names no model and no key where an endpoint has an address of its own.
func TestDefaultOfEndpoint(t *testing.T) {
	for _, test := range []struct {
		name  string
		lists []string
		want  string // the default model; "": an error that says all of errs
		errs  []string
	}{
		{"one model", []string{"acme/house"}, "openai/acme/house", nil},
		{"several", []string{"big", "small"}, "", []string{"OPENAI_BASE_URL", "2 models", "big, small", "PARLEY_MODEL", "openai/big"}},
		{"very many", strings.Split("a b c d e f g h i j", " "), "", []string{"10 models (a, b, c, d, e, f, g, h …)"}},
		{"no list", nil, "", []string{"does not list its models", "PARLEY_MODEL", "openai/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := New(Options{Getenv: configtest.Environment("OPENAI_BASE_URL", listServer(t, test.lists...))})
			got := r.Default()
			found, err := r.Resolve("")
			if test.want != "" {
				if got != test.want || err != nil || found.Provider == nil {
					t.Errorf("the default is %q, %v", got, err)
				}
				return
			}
			failed, ok := errors.AsType[*model.Error](err)
			if !ok || failed.Kind != model.NotConfigured {
				t.Fatalf("the default is %q, %v", got, err)
			}
			for _, part := range test.errs {
				if !strings.Contains(failed.Message, part) {
					t.Errorf("%q does not say %q", failed.Message, part)
				}
			}
			if offers := names(r.Discover(t.Context())); slices.Contains(offers, got) {
				t.Errorf("offered are %q", offers)
			}
		})
	}
}

// TestListedOwner checks that an id with a slash goes to the endpoint that lists it, and no other one.
func TestListedOwner(t *testing.T) {
	r := New(Options{Getenv: configtest.Environment("OPENAI_BASE_URL", listServer(t, "acme/house", "den"), "ANTHROPIC_API_KEY", "k")})
	for name, provider := range map[string]string{"acme/house": "openai", "acme/other": "", "den": "openai", "dens": ""} {
		found, err := r.Resolve(name)
		if (err == nil) != (provider != "") || err == nil && found.Info.Provider != provider {
			t.Errorf("%s: %+v, %v", name, found.Info, err)
		}
	}
}

// TestDiscoverDoesNotWait: an endpoint that does not answer in time is left out, and what it
// says later is there the next time.
func TestDiscoverDoesNotWait(t *testing.T) {
	may := make(chan struct{})
	address, _ := modelServer(t, may)
	r := New(Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{"work": {BaseURL: address}}}, Getenv: configtest.Environment()})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if got := names(r.Discover(ctx)); !slices.Equal(got, []string{DemoModel}) {
		t.Errorf("offered are %q", got)
	}
	close(may)
	if got := names(r.Discover(t.Context())); !slices.Contains(got, "work/house-model") {
		t.Errorf("later, offered are %q", got)
	}
}

// TestOpenEndpoints: only an endpoint that was configured may have unknown models.
func TestOpenEndpoints(t *testing.T) {
	r := New(Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{"work": {BaseURL: "http://127.0.0.1:1/v1"}}}, Getenv: configtest.Environment("ANTHROPIC_API_KEY", "k", "OPENAI_API_KEY", "k")})
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
		found, _ := r.Resolve(name)
		if got := [2]bool{found.Info.Known, found.Open}; got != want {
			t.Errorf("%s: known and open are %v, want %v", name, got, want)
		}
	}
	// Without a key a known model is known all the same: its first turn says what is missing.
	bare := New(Options{Getenv: configtest.Environment()})
	if found, err := bare.Resolve("claude-sonnet-4-5"); !found.Info.Known || err == nil {
		t.Errorf("%+v, %v", found.Info, err)
	}
}

// TestWindowsAreLearned lets an endpoint refuse a request, and asks what is known of its model: here, in
// the next process, for another model and address, and where the endpoint's list says more.
func TestWindowsAreLearned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "windows.json")
	list := `{"data":[{"id":"listed","max_model_len":16000}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(list))
			return
		}
		http.Error(w, `{"error":{"message":"This model's maximum context length is 8192 tokens."}}`, http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	open := func(address string) *Registry {
		return New(Options{Getenv: configtest.Environment("OPENAI_BASE_URL", address), Windows: path})
	}
	window := func(m *Registry, id string) int {
		found, err := m.Resolve("openai/" + id)
		if err != nil {
			t.Fatal(err)
		}
		return found.Info.ContextWindow
	}
	m := open(server.URL + "/v1")
	for _, id := range []string{"house", "listed"} {
		found, _ := m.Resolve("openai/" + id)
		for _, err := range found.Provider.Stream(t.Context(), &model.Request{Model: id, Messages: []model.Message{model.UserText("x")}}) {
			if failed, ok := errors.AsType[*model.Error](err); !ok || failed.Window != 8192 {
				t.Fatalf("%+v", err)
			}
		}
	}
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "127.0.0.1") {
		t.Errorf("the file is %s, %v", data, err)
	}
	next := open(server.URL + "/v1")
	for _, test := range []struct {
		what string
		got  int
		want int
	}{
		{"here", window(m, "house"), 8192},
		{"here, against the list", window(m, "listed"), 8192},
		{"another model", window(m, "mansion"), 128_000},
		{"in the next process", window(next, "house"), 8192},
		{"in the next process, against the list", window(next, "listed"), 16_000},
		{"at another address", window(open("http://127.0.0.1:1/v1"), "house"), 128_000},
	} {
		if test.got != test.want {
			t.Errorf("%s the window is %d, want %d", test.what, test.got, test.want)
		}
	}
	if got := window(next, "gpt-4o"); got != 128_000 {
		t.Errorf("the window of a known model that is not listed is %d", got)
	}
	if err := os.WriteFile(path, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := window(open(server.URL+"/v1"), "house"); got != 128_000 {
		t.Errorf("with a damaged file the window is %d", got)
	}
}

// TestKnownModelOnOwnServer: a model that the catalogue knows has the window that the user's own server
// lists; one that the server refuses as unknown is answered with the models that it lists.
func TestKnownModelOnOwnServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"data":[{"id":"gpt-4o","max_model_len":8192},{"id":"openai/gpt-oss-20b","max_model_len":16384}]}`))
			return
		}
		http.Error(w, `{"object":"error","message":"The model does not exist.","type":"NotFoundError","code":404}`, http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	m := New(Options{Getenv: configtest.Environment("OPENAI_BASE_URL", server.URL+"/v1")})
	for name, want := range map[string]int{"openai/gpt-4o": 8192, "openai/openai/gpt-oss-20b": 16384, "openai/gpt-5.5": 1_050_000} {
		if found, err := m.Resolve(name); err != nil || found.Info.ContextWindow != want {
			t.Errorf("%s: the window is %d, want %d (%v)", name, found.Info.ContextWindow, want, err)
		}
	}
	for id, want := range map[string]string{
		"gpt-4.1":   "The model does not exist.; did you mean gpt-4o?",
		"claude-x9": "The model does not exist.; the endpoint lists gpt-4o, openai/gpt-oss-20b",
	} {
		found, err := m.Resolve("openai/" + id)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range found.Provider.Stream(t.Context(), &model.Request{Model: id, Messages: []model.Message{model.UserText("x")}}) {
			if failed, ok := errors.AsType[*model.Error](err); !ok || failed.Message != want {
				t.Errorf("%s: %v, want %s", id, err, want)
			}
		}
	}
}

// TestKnownListIsNotAwaited: the window that a list stated in an earlier process counts at once, while the
// list is requested again; then the new one counts.
func TestKnownListIsNotAwaited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "windows.json")
	list, may, arrived := `{"data":[{"id":"house","max_model_len":8192}]}`, make(chan struct{}), make(chan struct{}, 2)
	close(may)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-may
		_, _ = w.Write([]byte(list))
		arrived <- struct{}{}
	}))
	t.Cleanup(server.Close)
	open := func() *Registry {
		return New(Options{Getenv: configtest.Environment("OPENAI_BASE_URL", server.URL+"/v1"), Windows: path})
	}
	window := func(r *Registry, name string) int {
		found, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		return found.Info.ContextWindow
	}
	if got := window(open(), "openai/house"); got != 8192 {
		t.Fatalf("the window is %d", got)
	}
	<-arrived
	list, may = `{"data":[{"id":"house","max_model_len":16384}]}`, make(chan struct{})
	next := open()
	for _, name := range []string{"openai/house", "house"} {
		if got := window(next, name); got != 8192 {
			t.Errorf("at the next start the window of %s is %d", name, got)
		}
	}
	i := slices.IndexFunc(next.endpoints, func(e Endpoint) bool { return e.Name == "openai" })
	live := next.endpoints[i].live
	live.mu.Lock()
	awaited, done := live.awaited, live.done
	live.mu.Unlock()
	if awaited || done == nil {
		t.Errorf("the list was awaited: %t, and requested: %t", awaited, done != nil)
	}
	close(may)
	<-done
	if got := window(next, "house"); got != 16_384 {
		t.Errorf("with the new list the window is %d", got)
	}
	if got := window(open(), "openai/house"); got != 16_384 {
		t.Errorf("later the window is %d", got)
	}
}
