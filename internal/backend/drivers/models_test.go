package drivers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/kind"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

// providers are the models of providers in tests.
type providers struct{}

func (providers) Resolve(name string) (engine.Model, error) {
	if name == "acme/eel" {
		return engine.Model{Info: model.Info{ID: "eel", Provider: "acme", Known: true}}, nil
	}
	return engine.Model{}, &model.Error{Kind: model.NotConfigured, Message: "no such model"}
}
func (p providers) Describe(name string) engine.Model { m, _ := p.Resolve(name); return m }
func (providers) Default() string                     { return "acme/eel" }
func (providers) Names() []string                     { return []string{"acme/eel"} }
func (providers) Discover(context.Context) []engine.Offer {
	return []engine.Offer{{Name: "acme/eel", Info: model.Info{ID: "eel"}}}
}

// testDrivers have the programs codex and claude.
func testDrivers(t *testing.T, s config.Settings) *Drivers {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"codex", "claude"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &Drivers{Settings: s, Getenv: func(name string) string { return map[string]string{"PATH": dir, "HOME": dir}[name] }}
}

var claude = map[string]config.BackendSettings{
	"acp:claude": {Command: []string{"claude"}}, "acp:gone": {Command: []string{"no-such-program"}}, "codex:work": {Model: "gpt-5.5"},
}

// TestVariables: the process of an agent has the variables of its session in place of those of the configuration.
func TestVariables(t *testing.T) {
	d := testDrivers(t, config.Settings{})
	settings := config.BackendSettings{Command: []string{"claude"}, Env: map[string]string{"A": "1", "PARLEY_TASK": "configured"}}
	p, err := d.program("acp:claude", settings, backend.Opening{Dir: t.TempDir(), Variables: map[string]string{"PARLEY_TASK": "t1"}, Confine: sandbox.Policy{Level: sandbox.Full}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Env, "PARLEY_TASK=t1") || slices.Contains(p.Env, "PARLEY_TASK=configured") || !slices.Contains(p.Env, "A=1") {
		t.Errorf("environment %q", p.Env)
	}
}

// TestNames: the models of back ends are named after them, as far as they are configured and their program is found.
func TestNames(t *testing.T) {
	d := testDrivers(t, config.Settings{Backends: claude})
	d.offers.put("acp:claude", backend.Offers{Models: []backend.Model{{ID: "default"}, {ID: "sonnet"}, {ID: "vendor/opus"}}})
	want := []string{"acme/eel", "acp:claude/default", "acp:claude/sonnet", "acp:claude/vendor/opus", "codex:work/default", "codex:work/gpt-5.5"}
	if got := d.Models(providers{}).Names(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDefault: where new sessions have a back end, the default is a model of it, and the first in lists.
func TestDefault(t *testing.T) {
	for _, test := range []struct{ backend, model, want string }{
		{"", "", "acme/eel"},
		{"codex", "", "codex/default"},
		{"codex:work", "", "codex:work/gpt-5.5"},
		{"acp:claude", "acme/eel", "acp:claude/default"},
		{"acp:claude", "acp:claude/sonnet", "acp:claude/sonnet"},
	} {
		d := testDrivers(t, config.Settings{Backend: test.backend, Model: test.model, Backends: claude})
		if got := d.Models(providers{}).Default(); got != test.want {
			t.Errorf("back end %q, model %q: %q, want %q", test.backend, test.model, got, test.want)
		}
		if got := d.BackendOf(""); got != test.backend {
			t.Errorf("the back end of the default is %q, want %q", got, test.backend)
		}
	}
}

// TestResolve: any model of a back end can be chosen, and none can be requested.
func TestResolve(t *testing.T) {
	d := testDrivers(t, config.Settings{Backends: claude})
	d.offers.put("acp:claude", backend.Offers{Model: "sonnet", Models: []backend.Model{
		{ID: "sonnet", Name: "Sonnet", Window: 123, Thinking: []model.Thinking{model.Off, model.Low, model.High}, Images: true},
	}})
	m := d.Models(providers{})
	for name, want := range map[string]model.Info{
		"acp:claude/sonnet":  {ID: "sonnet", Provider: "acp:claude", Name: "Sonnet", ContextWindow: 123, Thinking: []model.Thinking{model.Low, model.High}, Images: true, Known: true},
		"acp:claude/default": {ID: "default", Provider: "acp:claude", Name: "Default of acp:claude", ContextWindow: 123, Thinking: []model.Thinking{model.Low, model.High}, Images: true, Known: true},
		"acp:claude/new/one": {ID: "new/one", Provider: "acp:claude", Name: "one"},
		"acp:gone/x":         {ID: "x", Provider: "acp:gone", Name: "x", Images: true},
		"codex/gpt-5.5":      {ID: "gpt-5.5", Provider: "codex", Name: "GPT-5.5", Known: true, Images: true},
	} {
		found, err := m.Resolve(name)
		if err != nil || !found.Open {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := found.Info
		if got.ID != want.ID || got.Provider != want.Provider || got.Name != want.Name || got.Known != want.Known || got.Images != want.Images ||
			want.ContextWindow != 0 && (got.ContextWindow != want.ContextWindow || !slices.Equal(got.Thinking, want.Thinking)) {
			t.Errorf("%s: %+v", name, got)
		}
		for _, err := range found.Provider.Stream(t.Context(), &model.Request{}) {
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.NotConfigured || !strings.Contains(e.Message, "runs turns only") {
				t.Errorf("%s can be requested: %v", name, err)
			}
		}
	}
	for _, name := range []string{"acp:other/x", "pi:x/y", "acp:claude", "acp:claude/"} {
		if _, err := m.Resolve(name); err == nil {
			t.Errorf("%s is a model", name)
		}
	}
	if found, err := m.Resolve("acme/eel"); err != nil || found.Info.Provider != "acme" {
		t.Errorf("a provider's model: %+v, %v", found, err)
	}
}

// TestProviderName: a provider whose name is that of a kind has its models, unless the back end is configured.
func TestProviderName(t *testing.T) {
	d := testDrivers(t, config.Settings{Providers: map[string]config.ProviderSettings{"pi": {}}})
	if got := d.BackendOf("pi/x"); got != "" {
		t.Errorf("pi/x is of back end %q", got)
	}
	if got := d.BackendOf("codex/x"); got != "codex" {
		t.Errorf("codex/x is of back end %q", got)
	}
}

// TestRefresh: an agent is started for its offers once in an hour, and a query ends with the drivers.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c cache
		queries := 0
		query := func(context.Context) (backend.Offers, error) {
			queries++
			return backend.Offers{Model: "m"}, nil
		}
		for range 3 {
			<-c.refresh("a", query)
		}
		time.Sleep(offersFor - time.Second)
		<-c.refresh("a", query)
		if o, known := c.get("a"); queries != 1 || !known || o.Model != "m" {
			t.Errorf("%d queries, %+v", queries, o)
		}
		c.put("b", backend.Offers{Model: "of a session"})
		if done := c.refresh("b", query); done != nil {
			t.Error("what a session's agent offers is requested again")
		}
		time.Sleep(2 * time.Second)
		<-c.refresh("a", query)
		if queries != 2 {
			t.Errorf("%d queries after an hour", queries)
		}
		slow := c.refresh("slow", func(ctx context.Context) (backend.Offers, error) {
			<-ctx.Done()
			return backend.Offers{}, ctx.Err()
		})
		c.close()
		<-slow
		if _, known := c.get("slow"); known {
			t.Error("a query that was ended has an answer")
		}
		if done := c.refresh("late", query); done != nil {
			t.Error("a query begins after the end")
		}
	})
}

// TestConfine: what confines the process of an agent.
func TestConfine(t *testing.T) {
	d := testDrivers(t, config.Settings{})
	work := sandbox.Policy{Level: sandbox.WorkspaceWrite, Writable: []string{"/work"}}
	open := work
	open.Network = true
	for _, test := range []struct {
		confine kind.Confine
		session sandbox.Policy
		level   sandbox.Level // 0: it does not start
	}{
		{kind.Outer, work, sandbox.WorkspaceWrite},
		{kind.Outer, sandbox.Policy{Level: sandbox.ReadOnly}, sandbox.WorkspaceWrite},
		{kind.Outer, sandbox.Policy{Level: sandbox.Full}, sandbox.Full},
		{kind.Inner, work, sandbox.Full},
		{kind.None, work, sandbox.Full},
		{kind.Strict, work, 0},
		{kind.Strict, open, sandbox.WorkspaceWrite},
		{kind.Strict, sandbox.Policy{Level: sandbox.Full}, sandbox.Full},
	} {
		k, _ := kind.Of("codex")
		p, err := d.confine(k, config.BackendSettings{Confine: test.confine, State: []string{"~/"}}, "", test.session)
		if p.Level != test.level || (err != nil) != (test.level == 0) {
			t.Errorf("%s in %v: %v, %v", test.confine, test.session.Level, p.Level, err)
		}
		if p.Level == sandbox.WorkspaceWrite && (!p.Network || len(p.Writable) != len(test.session.Writable)+1) {
			t.Errorf("%s in %v: %+v", test.confine, test.session.Level, p)
		}
		info := watchedAgent{fakeAgent{}, watched{settings: config.BackendSettings{Confine: test.confine}}, test.session}.Info()
		if want := (test.confine == kind.Outer || test.confine == kind.None) && test.session.Level != sandbox.Full; info.Network != want {
			t.Errorf("%s in %v: network %v", test.confine, test.session.Level, info.Network)
		}
	}
}

// A fakeAgent does nothing but what a test needs.
type fakeAgent struct {
	backend.Agent
	changed *backend.Settings
}

func (fakeAgent) Info() backend.Info { return backend.Info{} }
func (f fakeAgent) Change(_ context.Context, to backend.Settings) error {
	*f.changed = to
	return nil
}

func (fakeAgent) Offers(context.Context) (backend.Offers, error) {
	return backend.Offers{Models: []backend.Model{{ID: "m"}}}, nil
}

// TestWatched: the agent of a session gets the options of the configuration that the session does not set, and what it offers
// is stored.
func TestWatched(t *testing.T) {
	var c cache
	var changed backend.Settings
	w := watched{name: "codex", cache: &c, settings: config.BackendSettings{Config: config.BackendConfig{"effort": []byte(`"high"`), "n": []byte("3")}}}
	a := watchedAgent{fakeAgent{changed: &changed}, w, sandbox.Policy{}}
	if err := a.Change(t.Context(), backend.Settings{Options: map[string]string{"effort": "low"}}); err != nil {
		t.Fatal(err)
	}
	if got := changed.Options; len(got) != 2 || got["effort"] != "low" || got["n"] != "3" {
		t.Errorf("the agent gets %q", got)
	}
	if _, err := a.Offers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o, known := c.get("codex"); !known || len(o.Models) != 1 {
		t.Errorf("stored is %+v", o)
	}
}
