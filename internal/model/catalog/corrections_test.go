package catalog

import (
	"path"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/model"
)

// This file lists where the snapshot differs from the data of catwalk.

// A correction changes entries of the data.
type correction struct {
	providers string // names
	ids       string // patterns of path.Match
	source    string
	set       func(*model.Info)
}

var threeLevels = []model.Thinking{model.Low, model.Medium, model.High}

var corrections = []correction{
	// minimal ended with gpt-5, and the codex models never had it; xhigh began with gpt-5.2.
	{"openai", "gpt-5-* gpt-5.*", "OpenAI, Reasoning models", func(i *model.Info) {
		i.Thinking = slices.DeleteFunc(i.Thinking, func(l model.Thinking) bool { return l == model.Minimal })
	}},
	{"openai", "gpt-5.2 gpt-5.2-codex gpt-5.3-codex", "OpenAI, Reasoning models", func(i *model.Info) {
		if !slices.Contains(i.Thinking, model.XHigh) {
			i.Thinking = append(i.Thinking, model.XHigh)
		}
	}},

	{"anthropic", "claude-opus-4-6 claude-sonnet-4-6", "Anthropic, Context windows: 1M since March 2026, at the same price", func(i *model.Info) { i.ContextWindow = 1_000_000 }},

	{"openrouter", "anthropic/claude-*-5.5 anthropic/claude-fable-5.1", "Anthropic, Models overview", func(i *model.Info) {
		i.MaxOutput, i.Thinking = 128_000, append(slices.Clone(threeLevels), model.XHigh)
	}},

	{"openai azure", "gpt-4.1 gpt-4.1-mini gpt-4.1-nano", "OpenAI, Models", func(i *model.Info) { i.MaxOutput = 32_768 }},
	{"openai azure", "gpt-4o gpt-4o-mini", "OpenAI, Models", func(i *model.Info) { i.MaxOutput = 16_384 }},
	{"openai azure", "o3 o3-mini o4-mini", "OpenAI, Models", func(i *model.Info) { i.MaxOutput = 100_000 }},
	{"openai", "gpt-5.1-codex-max", "OpenAI, Reasoning models", func(i *model.Info) { i.Thinking = append(slices.Clone(threeLevels), model.XHigh) }},
	{"openai azure", "gpt-5.4 gpt-5.4-pro gpt-5.5 gpt-5.5-pro", "OpenAI, Pricing: long context", func(i *model.Info) { i.Price.Long = long(i.Price, 272_000) }},

	{"gemini", "gemini-2.5-* gemini-3-*", "Gemini API, Models", func(i *model.Info) { i.MaxOutput = 65_536 }},
	{"gemini", "gemini-2.5-pro gemini-3-pro* gemini-3.1-pro*", "Gemini API, Pricing: prompts of more than 200k tokens", func(i *model.Info) { i.Price.Long = long(i.Price, 200_000) }},

	{"xai", "grok-4.3", "xAI, Models", func(i *model.Info) { i.ContextWindow, i.Thinking = 1_000_000, threeLevels }},
	{"xai", "grok-4.6", "xAI, Grok 4.6 (docs.x.ai/developers/grok-4-6): it has no limit of its own for the output", func(i *model.Info) {
		i.ContextWindow, i.MaxOutput, i.Thinking = 500_000, 128_000, append(slices.Clone(threeLevels), model.XHigh)
	}},
	{"xai", "grok-4.20*", "xAI, Models: they refuse an effort", func(i *model.Info) { i.ContextWindow = 1_000_000 }},

	{"groq", "moonshotai/kimi-k2-instruct-0905", "Groq, Models (2026-02; it is no longer in the list of 2026-07)", func(i *model.Info) { i.ContextWindow, i.MaxOutput, i.Thinking = 262_144, 16_384, nil }},
	{"groq", "qwen/qwen3-32b", "Groq, Models (2026-07), and Reasoning", func(i *model.Info) { i.MaxOutput, i.Thinking = 40_960, threeLevels }},
}

// long returns the price of requests of more than a number of tokens, as OpenAI and Google have it: twice
// for input, one and a half times for output.
func long(p model.Price, above int) model.LongPrice {
	return model.LongPrice{Above: above, Input: 2 * p.Input, Output: 1.5 * p.Output, CacheRead: 2 * p.CacheRead, CacheWrite: 2 * p.CacheWrite}
}

// additions are models that the data lacks.
var additions = []model.Info{
	// Anthropic, Models overview and the pages of the models (platform.claude.com, 2026-11); Fable 5.2 has the
	// prices of its announcement of 2026-11-09.
	claude("claude-fable-5-2", "Claude Fable 5.2", model.Price{Input: 8, Output: 40, CacheRead: 0.2, CacheWrite: 10}),
	claude("claude-haiku-5-5", "Claude Haiku 5.5", model.Price{
		Input: 0.1, Output: 0.5, CacheRead: 0.01, CacheWrite: 0.125,
		Long: model.LongPrice{Above: 100_000, Input: 0.5, Output: 2.5, CacheRead: 0.05, CacheWrite: 0.625},
	}),

	// Groq, Models and Pricing (console.groq.com/docs/models, groq.com/pricing), as models.dev has them of 2026-07
	// and, for Qwen3.8, of 2026-08-29.
	{ID: "qwen/qwen3.8-27b", Provider: "groq", Name: "Qwen3.8 27B", ContextWindow: 131_042, MaxOutput: 16_384, Price: model.Price{Input: 0.8, Output: 4, CacheRead: 0.4, CacheWrite: 0.8}, Thinking: threeLevels, Images: true},
	{ID: "openai/gpt-oss-120b", Provider: "groq", Name: "GPT OSS 120B", ContextWindow: 131_072, MaxOutput: 65_536, Price: model.Price{Input: 0.15, Output: 0.6, CacheRead: 0.075, CacheWrite: 0.15}, Thinking: threeLevels},
	{ID: "openai/gpt-oss-20b", Provider: "groq", Name: "GPT OSS 20B", ContextWindow: 131_072, MaxOutput: 65_536, Price: model.Price{Input: 0.075, Output: 0.3, CacheRead: 0.0375, CacheWrite: 0.075}, Thinking: threeLevels},
	{ID: "llama-3.3-70b-versatile", Provider: "groq", Name: "Llama 3.3 70B", ContextWindow: 131_072, MaxOutput: 32_768, Price: model.Price{Input: 0.59, Output: 0.79, CacheRead: 0.59, CacheWrite: 0.59}},
}

// claude returns a model of Anthropic's fifth generation: they have the same limits.
func claude(id, name string, price model.Price) model.Info {
	return model.Info{
		ID: id, Provider: "anthropic", Name: name, ContextWindow: 1_000_000, MaxOutput: 128_000, Price: price,
		Thinking: append(slices.Clone(threeLevels), model.XHigh), Images: true,
	}
}

// copies are entries of providers that the data lacks, as it has them of OpenRouter.
var copies = []struct{ provider, id, from string }{
	{"mistral", "codestral-2508", "mistralai/codestral-2508"},
	{"mistral", "codestral-latest", "mistralai/codestral-2508"},
	{"mistral", "mistral-large-2512", "mistralai/mistral-large-2512"},
	{"mistral", "mistral-large-latest", "mistralai/mistral-large-2512"},
	{"mistral", "mistral-medium-3.5", "mistralai/mistral-medium-3-5"},
	{"mistral", "mistral-medium-latest", "mistralai/mistral-medium-3-5"},
	{"mistral", "mistral-small-2603", "mistralai/mistral-small-2603"},
	{"mistral", "mistral-small-latest", "mistralai/mistral-small-2603"},
}

// copiedOutput is the output limit of copies, in tokens: the data has a tenth of the window.
const copiedOutput = 65_536

// corrected returns the entries of the data with what is known better.
func corrected(t *testing.T, infos []model.Info) []model.Info {
	t.Helper()
	for _, c := range corrections {
		used := false
		for i := range infos {
			if slices.Contains(strings.Fields(c.providers), infos[i].Provider) && matchesAny(t, c.ids, infos[i].ID) {
				c.set(&infos[i])
				used = true
			}
		}
		if !used {
			t.Errorf("no entry is corrected by %s %s", c.providers, c.ids)
		}
	}
	for _, info := range additions {
		if slices.ContainsFunc(infos, func(i model.Info) bool { return i.Provider == info.Provider && i.ID == info.ID }) {
			t.Errorf("the data has %s/%s now", info.Provider, info.ID)
		}
		info.Known = true
		infos = append(infos, info)
	}
	for _, c := range copies {
		i := slices.IndexFunc(infos, func(i model.Info) bool { return i.Provider == "openrouter" && i.ID == c.from })
		if i < 0 {
			t.Errorf("the data lacks %s", c.from)
			continue
		}
		info := infos[i]
		info.Provider, info.ID, info.Name = c.provider, c.id, strings.TrimPrefix(info.Name, "Mistral: ")
		info.MaxOutput = min(copiedOutput, info.ContextWindow/2)
		infos = append(infos, info)
	}
	return infos
}

func matchesAny(t *testing.T, patterns, id string) bool {
	t.Helper()
	for _, pattern := range strings.Fields(patterns) {
		ok, err := path.Match(pattern, id)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			return true
		}
	}
	return false
}

// TestCorrections looks up what the data has wrong or lacks.
func TestCorrections(t *testing.T) {
	for _, c := range []struct {
		provider, id   string
		window, output int
		thinking       string
	}{
		{"anthropic", "claude-opus-4-6", 1_000_000, 128_000, "low medium high xhigh"},
		{"anthropic", "claude-sonnet-4-6", 1_000_000, 128_000, "low medium high xhigh"},
		{"anthropic", "claude-fable-5-2", 1_000_000, 128_000, "low medium high xhigh"},
		{"anthropic", "claude-opus-5-5", 1_000_000, 128_000, "low medium high xhigh"},
		{"anthropic", "claude-haiku-5-5", 1_000_000, 128_000, "low medium high xhigh"},
		{"openrouter", "anthropic/claude-sonnet-5.5", 1_000_000, 128_000, "low medium high xhigh"},
		{"openai", "gpt-4.1", 1_047_576, 32_768, ""},
		{"openai", "gpt-4o-mini", 128_000, 16_384, ""},
		{"azure", "o4-mini", 200_000, 100_000, "low medium high"},
		{"openai", "gpt-5.1-codex", 400_000, 128_000, "low medium high"},
		{"openai", "gpt-5.2", 400_000, 128_000, "low medium high xhigh"},
		{"openai", "gpt-5.3-codex", 400_000, 128_000, "low medium high xhigh"},
		{"gemini", "gemini-2.5-pro", 1_048_576, 65_536, "low medium high"},
		{"gemini", "gemini-3-flash-preview", 1_048_576, 65_536, "minimal low medium high"},
		{"xai", "grok-4.3", 1_000_000, 20_000, "low medium high"},
		{"xai", "grok-4.20", 1_000_000, 20_000, ""},
		{"xai", "grok-4.6", 500_000, 128_000, "low medium high xhigh"},
		{"gemini", "gemini-3.8-flash", 1_048_576, 65_536, "low medium high"},
		{"groq", "moonshotai/kimi-k2-instruct-0905", 262_144, 16_384, ""},
		{"groq", "qwen/qwen3-32b", 131_072, 40_960, "low medium high"},
		{"groq", "openai/gpt-oss-120b", 131_072, 65_536, "low medium high"},
		{"groq", "qwen/qwen3.8-27b", 131_042, 16_384, "low medium high"},
		{"mistral", "mistral-large-latest", 262_144, 65_536, ""},
	} {
		got := Lookup(c.provider, c.id)
		var levels []string
		for _, level := range got.Thinking {
			levels = append(levels, string(level))
		}
		if !got.Known || got.ContextWindow != c.window || got.MaxOutput != c.output || strings.Join(levels, " ") != c.thinking || got.Price.Output == 0 {
			t.Errorf("%s/%s is %+v", c.provider, c.id, got)
		}
	}
}

// TestLongPrice checks that requests beyond a number of tokens cost what they do.
func TestLongPrice(t *testing.T) {
	p := Lookup("openai", "gpt-5.5").Price
	short, long := p.Cost(model.Usage{Input: 272_000, Output: 1000}), p.Cost(model.Usage{Input: 172_001, CacheRead: 100_000, Output: 1000})
	if want := (5*272_000 + 30*1000.0) / 1e6; short != want {
		t.Errorf("a short request costs %v, want %v", short, want)
	}
	if want := (10*172_001 + 1*100_000 + 45*1000.0) / 1e6; long != want {
		t.Errorf("a long request costs %v, want %v", long, want)
	}
	haiku := Lookup("anthropic", "claude-haiku-5-5").Price
	if got, want := haiku.Cost(model.Usage{Input: 1, CacheRead: 100_000}), (0.5+0.05*100_000)/1e6; got != want {
		t.Errorf("a long request to Haiku 5.5 costs %v, want %v", got, want)
	}
	if p := Lookup("gemini", "gemini-2.5-pro").Price; p.Long.Above != 200_000 || p.Long.Output != 15 {
		t.Errorf("gemini-2.5-pro costs %+v", p)
	}
}
