package profile

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// A row is found by the name that a user chose, the address, the provider's name, in this order.
func TestRow(t *testing.T) {
	for _, test := range []struct {
		at   Endpoint
		want string
	}{
		{Endpoint{Wire: Responses, Provider: "openai"}, "openai"},
		{Endpoint{Wire: Chat, Provider: "openai", BaseURL: "https://api.openai.com/v1"}, "openai"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://eu.api.openai.com/v1"}, "openai"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://house.openai.azure.com/openai/v1"}, "azure"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://notapi.openai.com.example.com/v1"}, "compatible"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://API.DeepSeek.com"}, "deepseek"},
		{Endpoint{Wire: Chat, Provider: "deepseek", BaseURL: "http://127.0.0.1:9999"}, "deepseek"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/endpoints/openapi"}, "gemini"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://aiplatform.googleapis.com/v1"}, "gemini"},
		{Endpoint{Wire: Chat, Provider: "moonshotai"}, "moonshot"},
		{Endpoint{Wire: Chat, Provider: "openai", BaseURL: "http://localhost:8000/v1", Profile: "compatible"}, "compatible"},
		{Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://api.openai.com/v1", Profile: "vllm"}, "vllm"},
		{Endpoint{Wire: Chat, Provider: "home", BaseURL: "http://10.0.0.1:11434/v1"}, "ollama"},
		{Endpoint{Wire: Chat, Provider: "home", BaseURL: "::"}, "compatible"},
		{Endpoint{Wire: Chat}, "compatible"},
		{Endpoint{Wire: Messages, Provider: "deepseek", BaseURL: "https://api.deepseek.com/anthropic"}, "anthropic"},
		{Endpoint{Wire: Messages, Provider: "second"}, "anthropic"},
	} {
		if got := For(test.at, "m").Name; got != test.want {
			t.Errorf("%+v has the profile %s, want %s", test.at, got, test.want)
		}
	}
}

// Each rule of a family names rows that exist, and patterns that can be read.
func TestTables(t *testing.T) {
	for _, f := range families {
		for _, name := range strings.Fields(f.rows) {
			if r := byName(name); r == nil || r.name() != name {
				t.Errorf("no row is called %s", name)
			}
		}
		for _, pattern := range strings.Fields(f.models + " " + f.except) {
			if _, err := path.Match(pattern, ""); err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
		}
	}
	var names []string
	for i := range rows {
		names = append(names, strings.Fields(rows[i].names)...)
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(names) {
		t.Errorf("a name is in two rows: %s", names)
	}
	for _, name := range Names() {
		if p := For(Endpoint{Profile: name}, "m"); p.Name != name || p.Limit == "" || p.CallIDs.Max == 0 {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// The profile of one model leaves the table as it is.
func TestFamiliesDoNotMix(t *testing.T) {
	at := Endpoint{Wire: Chat, Provider: "groq"}
	before := For(at, "llama-3.3-70b-versatile")
	For(at, "qwen/qwen3-32b")
	if diff := cmp.Diff(before, For(at, "llama-3.3-70b-versatile")); diff != "" {
		t.Error(diff)
	}
}

func TestReasons(t *testing.T) {
	for id, want := range map[string]bool{
		"o1": true, "o3-mini": true, "o4-mini-2025-04-16": true, "gpt-5": true, "gpt-5.2": true, "gpt-10": true, "openai/gpt-5-mini": true, "codex-mini-latest": true,
		"gpt-5.3-codex": true, "GPT-5.1": true,
		"gpt-4o": false, "gpt-4.1": false, "gpt-5-chat-latest": false, "gpt-oss-20b": false, "omni": false, "o": false, "o365": false, "gpt-35-turbo": false,
		"qwen3-coder": false, "": false,
	} {
		for _, provider := range []string{"openai", "azure", compatible} {
			p := For(Endpoint{Wire: Chat, Profile: provider}, id)
			if p.Reasons != want || want && p.Limit != MaxCompletionTokens {
				t.Errorf("%s at %s: reasons %t, limit %s", id, provider, p.Reasons, p.Limit)
			}
		}
	}
}

// TestWords compares the words for off, minimal, low, medium, high and xhigh.
func TestWords(t *testing.T) {
	for _, test := range []struct{ provider, model, want string }{
		{"openai", "gpt-5.6-sol", "none low low medium high xhigh"},
		{"openai", "gpt-5.1-2025-11-13", "none low low medium high xhigh"},
		{"openai", "gpt-6", "none low low medium high xhigh"},
		{"openai", "gpt-5", "minimal minimal low medium high xhigh"},
		{"openai", "gpt-5-2025-08-07", "minimal minimal low medium high xhigh"},
		{"openai", "gpt-5-mini", "minimal minimal low medium high xhigh"},
		{"openai", "gpt-5-codex", "low low low medium high xhigh"},
		{"openai", "gpt-5.3-codex", "low low low medium high xhigh"},
		{"openai", "o3", "low low low medium high xhigh"},
		{"openai", "gpt-5.4-pro", "medium medium medium medium high xhigh"},
		{"openai", "gpt-5-pro", "high high high high high high"},
		{"anthropic", "claude-sonnet-5", "disabled minimal low medium high xhigh"},
		{"xai", "grok-4.5", "- low low medium high high"},
		{"xai", "grok-4.6", "- low low medium high xhigh"},
		{"gemini", "gemini-3.8-flash", "low low low medium high high"},
		{"anthropic", "claude-opus-5-5", "- minimal low medium high xhigh"},
		{"anthropic", "claude-fable-5", "- minimal low medium high xhigh"},
		{"gemini", "gemini-2.5-flash", "0 1024 1024 8192 24576 24576"},
		{"gemini", "gemini-2.5-pro", "128 1024 1024 8192 24576 32768"},
		{"gemini", "gemini-3-flash-preview", "minimal minimal low medium high high"},
		{"gemini", "gemini-3-pro-preview", "low low low medium high high"},
		{"openrouter", "anthropic/claude-sonnet-5", "none minimal low medium high xhigh"},
		{"deepseek", "deepseek-v4-pro", "- minimal low medium high max"},
		{"mistral", "mistral-small-latest", "none high high high high high"},
		{"groq", "openai/gpt-oss-120b", "low low low medium high high"},
		{"groq", "qwen/qwen3-32b", "none default default default default default"},
		{"xai", "grok-4.5", "- low low medium high high"},
		{"ollama", "qwen3:8b", "none low low medium high high"},
		{compatible, "house-1", "- minimal low medium high xhigh"},
	} {
		p := For(Endpoint{Wire: Chat, Provider: test.provider}, test.model)
		var got []string
		for _, level := range []model.Thinking{model.Off, model.Minimal, model.Low, model.Medium, model.High, model.XHigh} {
			word := p.Word(level)
			if word == "" {
				word = "-"
			}
			got = append(got, word)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s/%s: %s, want %s", test.provider, test.model, got, test.want)
		}
	}
}

func TestFamilies(t *testing.T) {
	for _, test := range []struct {
		provider, model string
		holds           func(Profile) bool
	}{
		{"openrouter", "anthropic/claude-sonnet-5", func(p Profile) bool { return p.Cache == Breakpoints }},
		{"openrouter", "google/gemini-3-pro", func(p Profile) bool { return p.Cache == NoCache }},
		{"openrouter", "mistralai/mistral-large", func(p Profile) bool { return p.CallIDs.Exact }},
		{"openrouter", "openai/gpt-5", func(p Profile) bool { return p.Reasons && p.Limit == MaxTokens }},
		{"deepseek", "deepseek-v4-pro", func(p Profile) bool { return p.EmptyThoughts }},
		{"deepseek", "deepseek-chat", func(p Profile) bool { return !p.EmptyThoughts }},
		{"moonshot", "kimi-k2.6", func(p Profile) bool { return p.EmptyThoughts && p.Thinking == Switch }},
		{"moonshot", "kimi-k2-thinking", func(p Profile) bool { return p.EmptyThoughts && p.Thinking == NoThinking }},
		{"moonshot", "moonshot-v1-8k", func(p Profile) bool { return !p.EmptyThoughts && p.Thinking == NoThinking }},
		{"mistral", "magistral-medium-latest", func(p Profile) bool { return p.Thinking == PromptMode }},
		{"groq", "llama-3.3-70b-versatile", func(p Profile) bool { return p.Thoughts == NoThoughts }},
		{"groq", "openai/gpt-oss-20b", func(p Profile) bool { return p.Thoughts == ReasoningText }},
		{"xai", "grok-4.20-reasoning", func(p Profile) bool { return p.Thinking == NoThinking }},
		{"gemini", "gemini-3.5-flash", func(p Profile) bool { return p.Thinking == GoogleLevel && p.StandInSignature != "" }},
		{"gemini", "gemini-2.5-pro", func(p Profile) bool { return p.Thinking == GoogleBudget && p.StandInSignature == "" }},
	} {
		if p := For(Endpoint{Wire: Chat, Provider: test.provider}, test.model); !test.holds(p) {
			t.Errorf("%s/%s: %+v", test.provider, test.model, p)
		}
	}
}

func TestOfficial(t *testing.T) {
	for address, want := range map[string]bool{
		"http://api.openai.com/v1": true, "https://house.openai.azure.com/openai/v1/": true,
		"https://api.openai.com.example.com/v1": false, "http://localhost:8000/v1": false, "": false,
	} {
		if got := Official(address); got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
}

// A profile that was looked up is not looked up again: each request and each turn asks for it.
func TestLookupsAreKept(t *testing.T) {
	at := Endpoint{Wire: Chat, Provider: "work", BaseURL: "https://api.deepseek.com/v1"}
	if n := testing.AllocsPerRun(100, func() { For(at, "deepseek-v4-pro") }); n > 0 {
		t.Errorf("a lookup allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { Hosted("https://api.deepseek.com/v1") }); n > 0 {
		t.Errorf("a lookup of an address allocates %v times", n)
	}
}

func TestHosted(t *testing.T) {
	for address, want := range map[string]bool{"https://api.openai.com/v1": true, "http://localhost:11434/v1": false, "http://localhost:8000/v1": false, "": false} {
		if Hosted(address) != want {
			t.Errorf("%s is hosted by a provider: %t", address, !want)
		}
	}
}
