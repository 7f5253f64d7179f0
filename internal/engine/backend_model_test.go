package engine

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

// backendOf is Config.BackendOf where a and b are back ends.
func backendOf(standard string) func(string) string {
	return func(model string) string {
		if model == "" {
			return standard
		}
		name, _, _ := strings.Cut(model, "/")
		if name == "a" || name == "b" {
			return name
		}
		return ""
	}
}

// TestChooseBackend: a new session has the back end of its model, or a model of its back end.
func TestChooseBackend(t *testing.T) {
	for _, test := range []struct{ backend, model, standard, wantBackend, wantModel string }{
		{"", "p/x", "", "", "p/x"},
		{"", "", "", "", ""},
		{"", "a/x", "", "a", "a/x"},
		{"", "a/x", "b", "a", "a/x"},
		{"", "p/x", "b", "b", "b/default"},
		{"", "", "b", "b", "b/default"},
		{"a", "p/x", "", "a", "a/default"},
		{"a", "b/x", "", "a", "a/default"},
		{"a", "a/x", "b", "a", "a/x"},
		{"a", "", "b", "a", "a/default"},
	} {
		h := NewHost(Config{BackendOf: backendOf(test.standard)})
		s := event.Settings{Backend: test.backend, Model: test.model}
		h.chooseBackend(&s, test.standard)
		if s.Backend != test.wantBackend || s.Model != test.wantModel {
			t.Errorf("back end %q, model %q, default %q: %q, %q; want %q, %q", test.backend, test.model, test.standard, s.Backend, s.Model, test.wantBackend, test.wantModel)
		}
	}
}

// TestFollowModel: the back end follows the model in mid-session, and the model a back end that is chosen.
func TestFollowModel(t *testing.T) {
	type pair struct{ backend, model string }
	for _, test := range []struct {
		before, now pair
		standard    string
		want        pair
	}{
		{pair{"", "p/x"}, pair{"", "a/x"}, "", pair{"a", "a/x"}},
		{pair{"a", "a/x"}, pair{"a", "b/x"}, "", pair{"b", "b/x"}},
		{pair{"a", "a/x"}, pair{"a", "p/x"}, "", pair{"", "p/x"}},
		{pair{"a", "a/x"}, pair{"a", "p/x"}, "a", pair{"", "p/x"}},
		{pair{"a", "a/x"}, pair{"a", "a/y"}, "", pair{"a", "a/y"}},
		{pair{"a", "a/x"}, pair{"a", ""}, "", pair{"", ""}},
		{pair{"", "p/x"}, pair{"", ""}, "a", pair{"a", ""}},
		{pair{"a", "a/x"}, pair{"b", "a/x"}, "", pair{"b", "b/default"}},
		{pair{"", "p/x"}, pair{"b", "p/x"}, "", pair{"b", "b/default"}},
		{pair{"", "p/x"}, pair{"b", "a/x"}, "", pair{"b", "b/default"}},
		{pair{"a", "a/x"}, pair{"", "a/x"}, "", pair{"", ""}},
		{pair{"a", "a/x"}, pair{"", "p/x"}, "", pair{"", "p/x"}},
		{pair{"a", "p/x"}, pair{"a", "p/x"}, "", pair{"a", "p/x"}},
	} {
		h := NewHost(Config{BackendOf: backendOf(test.standard)})
		s := event.Settings{Backend: test.now.backend, Model: test.now.model}
		h.followModel(&s, event.Settings{Backend: test.before.backend, Model: test.before.model})
		if got := (pair{s.Backend, s.Model}); got != test.want {
			t.Errorf("%v to %v, default %q: %v, want %v", test.before, test.now, test.standard, got, test.want)
		}
	}
}

// TestOpenedBackend: a session of another process has the back end of the host that opens it, once: what a client chooses after
// that counts, also when the session is opened again.
func TestOpenedBackend(t *testing.T) {
	type pair struct{ backend, model string }
	for name, test := range map[string]struct {
		before event.Settings
		want   pair
		record bool // of the change
	}{
		"our own loop":      {event.Settings{Model: "p/x"}, pair{"b", "b/default"}, true},
		"another back end":  {event.Settings{Backend: "a", Model: "a/x"}, pair{"b", "b/default"}, true},
		"the same back end": {event.Settings{Backend: "b"}, pair{"b", "b/default"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.agents = fakeBackends{"a": newFakeBackend(), "b": newFakeBackend()}
			s := b.session(t, func(_ *Options, settings *event.Settings) { *settings = test.before })
			turnOf(t, s, "Go.", nil)
			head := s.State().Head
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			h := b.host()
			h.cfg.BackendOf, h.cfg.OpenedBackend = backendOf(""), "b"
			again := b.reopened(t, h, s.ID(), b.options())
			st := again.State()
			if got := (pair{st.Settings.Backend, st.Settings.Model}); got != test.want {
				t.Errorf("opened with %v, want %v", got, test.want)
			}
			if changed := st.Head > head; changed != test.record {
				t.Errorf("a record of a change: %t", changed)
			}
			if err := again.Change(func(now *event.Settings) { now.Model = "a/y" }); err != nil {
				t.Fatal(err)
			}
			if err := again.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			st = b.reopened(t, h, s.ID(), b.options()).State()
			if got := (pair{st.Settings.Backend, st.Settings.Model}); got != (pair{"a", "a/y"}) {
				t.Errorf("opened again with %v", got)
			}
		})
	}
}
