package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

func TestAll(t *testing.T) {
	all := All()
	sorted := slices.IsSortedFunc(all, func(a, b model.Info) int {
		return strings.Compare(a.Provider+"\x00"+a.ID, b.Provider+"\x00"+b.ID)
	})
	if len(all) < 1000 || !sorted {
		t.Fatalf("%d models, sorted %v", len(all), sorted)
	}
	for _, m := range all {
		if m.ID == "" || m.Provider == "" || m.Name == "" || !m.Known || m.Price.CacheRead > m.Price.Input || m.Price.CacheWrite < m.Price.Input {
			t.Errorf("odd entry: %+v", m)
		}
		if got := Lookup(m.Provider, m.ID); !cmp.Equal(m, got) {
			t.Errorf("Lookup(%q, %q) is another entry: %+v", m.Provider, m.ID, got)
		}
	}
	all[0].Name = "changed"
	if len(all[0].Thinking) > 0 {
		all[0].Thinking[0] = "changed"
	}
	if fresh := All()[0]; fresh.Name == "changed" || slices.Contains(fresh.Thinking, "changed") {
		t.Error("the catalogue can be changed from outside")
	}
}

// TestIDs compares what IDs reads of the entries with the whole entries.
func TestIDs(t *testing.T) {
	want := map[string][]string{}
	for _, m := range All() {
		want[m.Provider] = append(want[m.Provider], m.ID)
	}
	for _, none := range []string{"", defaultMark, "open", "openai\tgpt-5", "unknown"} {
		want[none] = nil
	}
	for range 2 { // the second answers are those that were kept
		for provider, ids := range want {
			if diff := cmp.Diff(ids, slices.Collect(IDs(provider))); diff != "" {
				t.Errorf("%q: -want +got:\n%s", provider, diff)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for _, test := range []struct{ provider, id, same string }{
		{"anthropic", "claude-opus-4-5", "claude-opus-4-5-20251101"},
		{"anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"},
		{"anthropic", "anthropic/claude-sonnet-4.6", "claude-sonnet-4-6"},
		{"anthropic", "claude-opus-4-6-20260205", "claude-opus-4-6"},
		{"anthropic", "claude-opus-4-6-latest", "claude-opus-4-6"},
		{"some-gateway", "anthropic/claude-opus-4.5", "claude-opus-4-5-20251101"},
	} {
		want := Lookup("anthropic", test.same)
		want.Provider, want.ID = test.provider, test.id
		if diff := cmp.Diff(want, Lookup(test.provider, test.id)); diff != "" || !want.Known {
			t.Errorf("Lookup(%q, %q) known %v (-want +got):\n%s", test.provider, test.id, want.Known, diff)
		}
	}
	unknown := model.Info{ID: "a/b", Provider: "p", Name: "a/b", ContextWindow: DefaultContextWindow, MaxOutput: DefaultMaxOutput, Images: true}
	if diff := cmp.Diff(unknown, Lookup("p", "a/b")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLookupAgain looks up more models than are remembered, twice: the second time says the same,
// whatever became of the first answer.
func TestLookupAgain(t *testing.T) {
	all := All()
	for round := range 2 {
		for _, want := range all {
			got := Lookup(want.Provider, want.ID)
			if !cmp.Equal(want, got) {
				t.Fatalf("round %d: %+v, want %+v", round, got, want)
			}
			if again := Lookup(want.Provider, want.ID); !cmp.Equal(want, again) {
				t.Fatalf("at once again: %+v, want %+v", again, want)
			}
			clear(got.Thinking)
		}
	}
}

// BenchmarkLookup looks for a model that the catalogue does not have, as with local servers.
func BenchmarkLookup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Lookup("openai", "a-model-of-the-house")
	}
}

// TestThinkingByName looks up models outside the catalogue.
func TestThinkingByName(t *testing.T) {
	for id, reasons := range map[string]bool{
		"o3-mini-2031-01-01": true, "gpt-5.9-terra": true, "acme/gpt-oss-7b": true, "claude-opus-6": true, "claude-3.7-sonnet-acme": true,
		"gemini-4-pro": true, "qwen9-thinking": true, "acme-reasoner-2": true,
		"gpt-4o-acme": false, "gpt-5-chat-acme": false, "claude-3-5-acme": false, "gemini-2.0-acme": false, "gemini-3-image-acme": false,
		"qwen9-non-reasoning": false, "llama-9": false, "mock-1": false, "photo1": false, "o3": true, "o365": false,
	} {
		if got := Lookup("house", id); len(got.Thinking) > 0 != reasons || reasons && got.MaxOutput < DefaultReasoningOutput {
			t.Errorf("%s has the levels %q and an output of %d", id, got.Thinking, got.MaxOutput)
		}
	}
}

// TestWindowByName looks up models outside the catalogue.
func TestWindowByName(t *testing.T) {
	for id, window := range map[string]int{
		"mock-32k": 32_000, "acme/long-1m": 1_000_000, "phi-9-mini-4k-instruct": 4000, "MOCK-128K": 128_000, "house:8k": 8000,
		"acme-135m": DefaultContextWindow, "kimi-k2-acme": DefaultContextWindow, "mock-1k": DefaultContextWindow, "house-7b": DefaultContextWindow,
		"house32k": DefaultContextWindow, "m-1.5m": DefaultContextWindow, "mock-135m-16k": 16_000,
	} {
		if got := Lookup("house", id).ContextWindow; got != window {
			t.Errorf("%s has a window of %d, want %d", id, got, window)
		}
	}
}

func TestOpus(t *testing.T) {
	want := model.Info{
		ID: "claude-opus-4-6", Provider: "anthropic", Name: "Claude Opus 4.6",
		ContextWindow: 1_000_000, MaxOutput: 128_000, Images: true, Known: true,
		Price:    model.Price{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25},
		Thinking: []model.Thinking{model.Low, model.Medium, model.High, model.XHigh},
	}
	if diff := cmp.Diff(want, Lookup("anthropic", "claude-opus-4-6")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The levels of OpenAI's models are those that its endpoint takes.
func TestLevelsOfOpenAI(t *testing.T) {
	for id, want := range map[string][]model.Thinking{
		"gpt-5":         {model.Minimal, model.Low, model.Medium, model.High},
		"gpt-5-codex":   {model.Low, model.Medium, model.High},
		"gpt-5.1":       {model.Low, model.Medium, model.High},
		"gpt-5.1-codex": {model.Low, model.Medium, model.High},
		"gpt-5.2":       {model.Low, model.Medium, model.High, model.XHigh},
		"gpt-5.3-codex": {model.Low, model.Medium, model.High, model.XHigh},
	} {
		if diff := cmp.Diff(want, Lookup("openai", id).Thinking); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// Every default is a model of the catalogue that can do the work.
func TestDefault(t *testing.T) {
	for _, provider := range []string{"anthropic", "openai", "gemini", "openrouter", "deepseek", "xai", "groq", "mistral", "moonshot", "copilot", "vercel"} {
		m := Lookup(provider, Default(provider))
		if !m.Known || m.ContextWindow < 100_000 {
			t.Errorf("default of %s is %+v", provider, m)
		}
	}
	if id := Default("unknown"); id != "" {
		t.Errorf("default of an unknown provider is %q", id)
	}
}

func TestPrices(t *testing.T) {
	for _, test := range []struct {
		in, cachedIn, cachedOut float64
		read, write             float64
	}{
		{5, 6.25, 0.5, 0.5, 6.25}, // writing, reading
		{2.5, 0, 0.25, 0.25, 2.5}, // reading only
		{1.25, 0.125, 0.125, 0.125, 1.25},
		{0.75, 0.075, 3.75, 0.075, 0.75}, // reading, output
		{30, 0, 0, 30, 30},
		{0, 0, 0, 0, 0},
	} {
		got := priceOf(sourceModel{CostIn: test.in, CostInCached: test.cachedIn, CostOutCached: test.cachedOut})
		if got.CacheRead != test.read || got.CacheWrite != test.write {
			t.Errorf("%+v: read %v, write %v", test, got.CacheRead, got.CacheWrite)
		}
	}
}

func TestThinking(t *testing.T) {
	for _, test := range []struct {
		reasons bool
		levels  []string
		want    []model.Thinking
	}{
		{false, []string{"low"}, nil},
		{true, nil, []model.Thinking{model.Low, model.Medium, model.High}},
		{true, []string{"none", "low", "high", "max"}, []model.Thinking{model.Low, model.High, model.XHigh}},
		{true, []string{"minimal", "xhigh", "max"}, []model.Thinking{model.Minimal, model.XHigh}},
	} {
		if diff := cmp.Diff(test.want, thinkingOf(sourceModel{CanReason: test.reasons, ReasoningLevels: test.levels})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.levels, diff)
		}
	}
}
