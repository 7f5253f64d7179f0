package profile

import "parley.dev/parley/internal/model"

// This file contains the table of model families. All rules that fit count, in their order.

// A family is what some of an endpoint's models differ in.
type family struct {
	rows   string // names of rows
	models string // patterns of [path.Match]; one without a slash is compared with what follows the last slash of an id
	except string // patterns, too
	set    func(*Profile)
}

// Names of OpenAI's models that reason; gpt-oss is served by others.
const (
	openAIReasons = "o[1-9] o[1-9]-* gpt-[5-9]* gpt-[1-9][0-9]* codex-*"
	openAIChats   = "gpt-*-chat* gpt-35*"
)

var families = []family{
	// OpenAI, "Reasoning models": no max_tokens, no temperature.
	{"openai azure compatible", openAIReasons, openAIChats, func(p *Profile) { p.Limit, p.Reasons = MaxCompletionTokens, true }},
	{"openrouter", openAIReasons, openAIChats, func(p *Profile) { p.Reasons = true }},
	// "reasoning.effort": none came with gpt-5.1, and with it minimal was dropped; the codex and the pro
	// models know neither.
	{"openai azure", openAIReasons, openAIChats, func(p *Profile) {
		p.Words = words{model.Off: "none", model.Minimal: "low"}
	}},
	{"openai azure", "gpt-5 gpt-5-mini* gpt-5-nano* gpt-5-20*", "", func(p *Profile) { p.Words = words{model.Off: "minimal"} }},
	{"openai azure", "o[1-9] o[1-9]-* gpt-*-codex* codex-*", "", func(p *Profile) {
		p.Words = words{model.Off: "low", model.Minimal: "low"}
	}},
	{"openai azure", "gpt-*-pro*", "", func(p *Profile) {
		p.Words = words{model.Off: "medium", model.Minimal: "medium", model.Low: "medium"}
	}},
	{"openai azure", "gpt-5-pro*", "", func(p *Profile) {
		p.Words = words{model.Off: "high", model.Minimal: "high", model.Low: "high", model.Medium: "high", model.XHigh: "high"}
	}},

	// Anthropic, "Adaptive thinking": the thinking of these is always on.
	{"anthropic", "claude-fable-* claude-mythos-* claude-opus-5-5*", "", func(p *Profile) { p.Words = nil }},

	// Gemini API, "Thinking": 2.5 takes a number of tokens, later ones a level. A request that has
	// reasoning_effort cannot ask for thoughts to be shown.
	{"gemini", "gemini-2.5-*", "", func(p *Profile) {
		p.Thinking = GoogleBudget
		p.Words = words{model.Off: "0", model.Minimal: "1024", model.Low: "1024", model.Medium: "8192", model.High: "24576", model.XHigh: "24576"}
	}},
	{"gemini", "gemini-2.5-pro*", "", func(p *Profile) {
		p.Words = words{model.Off: "128", model.Minimal: "1024", model.Low: "1024", model.Medium: "8192", model.High: "24576", model.XHigh: "32768"}
	}},
	{"gemini", "gemini-[3-9]*", "", func(p *Profile) {
		p.Thinking, p.Words = GoogleLevel, words{model.Off: "minimal", model.XHigh: "high"}
		p.StandInSignature = "skip_thought_signature_validator" // "Thought signatures", FAQ
	}},
	{"gemini", "gemini-*-pro* gemini-3.7-* gemini-3.8-*", "gemini-2.5-*", func(p *Profile) {
		p.Words = words{model.Off: "low", model.Minimal: "low", model.XHigh: "high"}
	}},

	// OpenRouter, "Prompt caching": only Anthropic's models have to be asked.
	{"openrouter", "anthropic/*", "", func(p *Profile) { p.Cache = Breakpoints }},
	// What the providers behind OpenRouter demand of a history.
	{"openrouter", "mistralai/*", "", func(p *Profile) { p.CallIDs = CallIDs{Max: 9, Exact: true} }},
	{"openrouter", "deepseek/deepseek-v* moonshotai/kimi-*", "", func(p *Profile) { p.EmptyThoughts = true }},

	// Gateways pass schemas of tools on as they are.
	{"openrouter compatible", "gemini-*", "", func(p *Profile) { p.Schema = GoogleSchema }},

	// DeepSeek, Moonshot: models that do not think.
	{"deepseek", "deepseek-chat*", "", func(p *Profile) { p.EmptyThoughts = false }},
	{"moonshot", "moonshot-v1* kimi-k2-0* kimi-k2-turbo*", "", func(p *Profile) { p.EmptyThoughts, p.Thinking = false, NoThinking }},
	// Moonshot: a model that always thinks.
	{"moonshot", "kimi-k2-thinking*", "", func(p *Profile) { p.Thinking = NoThinking }},

	// Mistral, "Reasoning": its older models that reason take a mode.
	{"mistral", "magistral*", "", func(p *Profile) { p.Thinking = PromptMode }},

	// Groq, "Reasoning".
	{"groq", "gpt-oss* qwen3*", "", func(p *Profile) { p.Thoughts = ReasoningText }},
	{"groq", "gpt-oss*", "", func(p *Profile) { p.Words = words{model.Off: "low", model.Minimal: "low", model.XHigh: "high"} }},
	{"groq", "qwen3*", "", func(p *Profile) {
		p.Words = words{model.Off: "none", model.Minimal: "default", model.Low: "default", model.Medium: "default", model.High: "default", model.XHigh: "default"}
	}},

	// xAI, "Grok 4.6".
	{"xai", "grok-4.6*", "", func(p *Profile) { p.Words = words{model.Minimal: "low"} }},
	// xAI, "Reasoning": these decide for themselves how much they think.
	{"xai", "grok-4 grok-4-* grok-4.20* grok-code-*", "", func(p *Profile) { p.Thinking = NoThinking }},

	// gpt-oss always thinks, wherever it is served.
	{"ollama llama.cpp vllm lmstudio cerebras", "gpt-oss*", "", func(p *Profile) {
		p.Words = words{model.Off: "low", model.Minimal: "low", model.XHigh: "high"}
	}},
}
