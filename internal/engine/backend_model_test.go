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
