package pisces

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
)

func TestMatches(t *testing.T) {
	names := []string{"acme/otter-2", "acme/otter-2-mini", "zoo/otter-2", "zoo/Eel"}
	for _, test := range []struct {
		pattern string
		want    []string
	}{
		{"acme/otter-2", []string{"acme/otter-2"}},
		{"otter-2", []string{"acme/otter-2", "zoo/otter-2"}},
		{"otter", []string{"acme/otter-2", "acme/otter-2-mini", "zoo/otter-2"}},
		{"ZOO/", []string{"zoo/otter-2", "zoo/Eel"}},
		{"EEL", []string{"zoo/Eel"}},
		{"heron", nil},
	} {
		if diff := cmp.Diff(test.want, matches(test.pattern, names)); diff != "" {
			t.Errorf("%s:\n%s", test.pattern, diff)
		}
	}
}

func TestSplitLevel(t *testing.T) {
	for pattern, want := range map[string]struct {
		bare  string
		level message.ThinkingLevel
	}{
		"otter-2": {"otter-2", ""}, "otter-2:low": {"otter-2", message.ThinkingLow}, "otter-2:off": {"otter-2", message.ThinkingOff},
		"otter:2": {"otter:2", ""}, "otter:2:xhigh": {"otter:2", message.ThinkingXHigh}, ":": {":", ""},
	} {
		if bare, level := splitLevel(pattern); bare != want.bare || level != want.level {
			t.Errorf("%s is %q and %q", pattern, bare, level)
		}
	}
}

// TestFindModel: what may stand after --model, and --provider.
func TestFindModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), "")
	host := engine.NewHost(engine.Config{Models: scripted{dialecttest.NewModels(dialecttest.Getenv(p.Env)), true}})
	open := engine.NewHost(engine.Config{Models: openModels{scripted{dialecttest.NewModels(dialecttest.Getenv(p.Env)), true}}})
	for _, test := range []struct {
		pattern, provider, want string
		level                   message.ThinkingLevel
	}{
		{"openai/gpt-5-mini:low", "", "openai/gpt-5-mini", message.ThinkingLow},
		{"gpt-5-mini:low", "openai", "openai/gpt-5-mini", message.ThinkingLow},
		{"openai/house:low", "", "openai/house", message.ThinkingLow},
		{"openai/house:8b", "", "openai/house:8b", ""},
		{"house", "openai", "openai/house", ""},
		{"house", "nosuch", "", ""},
		{"nosuch/house", "", "nosuch/house", ""}, // the endpoint lists it
		{"openai/house", "nosuch", "", ""},
	} {
		if name, level := FindModel(open, test.pattern, test.provider); name != test.want || level != test.level {
			t.Errorf("with an open endpoint %s of %q is %q with %q, want %q with %q", test.pattern, test.provider, name, level, test.want, test.level)
		}
	}
	for _, test := range []struct {
		pattern, provider, want string
		level                   message.ThinkingLevel
	}{
		{"offline/demo", "", "offline/demo", ""},
		{"demo", "", "offline/demo", ""},
		{"DEM", "", "offline/demo", ""},
		{"demo:low", "", "offline/demo", message.ThinkingLow},
		{"demo", "offline", "offline/demo", ""},
		{"offline/demo", "offline", "offline/demo", ""},
		{"demo", "acme", "", ""},
		{"gpt-5-mini:high", "openai", "openai/gpt-5-mini", message.ThinkingHigh},
		{"heron", "", "", ""},
	} {
		if name, level := FindModel(host, test.pattern, test.provider); name != test.want || level != test.level {
			t.Errorf("%s of %q is %q with %q, want %q with %q", test.pattern, test.provider, name, level, test.want, test.level)
		}
	}
}

// openModels is scripted with an endpoint of openai that takes any id, and lists nosuch/house.
type openModels struct{ scripted }

func (o openModels) Resolve(name string) (engine.Model, error) {
	id, ours := strings.CutPrefix(name, "openai/")
	if name == "nosuch/house" {
		ours, id = true, name
	}
	if !ours {
		return o.scripted.Resolve(name)
	}
	m, err := o.scripted.Resolve("openai/" + id)
	m.Open = true
	return m, err
}
