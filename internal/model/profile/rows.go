package profile

import (
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
)

// This file contains the table of endpoints. A row counts for a host, or, where the host is none of
// the table's, for a provider of its name. The documents are the providers' own.

// Words is the type of Profile.Words.
type words = map[model.Thinking]string

// threeLevels are the words of endpoints that know low, medium and high.
var threeLevels = words{model.Minimal: "low", model.XHigh: "high"}

// Ids that OpenAI takes on both of its wires: Chat Completions allows 40 letters, Responses 64.
var openAIIDs = CallIDs{Max: 40, Letters: "_-"}

// A row is an endpoint.
type row struct {
	names string // of providers, the first is the row's
	hosts string // host names, with those below them; ":port" is a port of any host; a pattern of [path.Match] if it has a star
	Profile
}

// compatible is the row of endpoints that are not in the table.
const compatible = "compatible"

var rows = []row{
	{
		// OpenAI API reference, "Create chat completion", "Create a model response"; "Reasoning models".
		names: "openai", hosts: "api.openai.com",
		Profile: Profile{Limit: MaxCompletionTokens, Thinking: Effort, FixedTemperature: true, Thoughts: Signed, CallIDs: openAIIDs, Schema: OpenAISchema, Cache: CacheKey, MaxTools: 128},
	},
	{
		// Azure OpenAI in Foundry Models, "v1 preview API".
		names: "azure", hosts: "openai.azure.com services.ai.azure.com",
		Profile: Profile{Limit: MaxCompletionTokens, Thinking: Effort, FixedTemperature: true, Thoughts: Signed, CallIDs: openAIIDs, Schema: OpenAISchema, Cache: CacheKey, MaxTools: 128},
	},
	{
		// Anthropic, "Messages", "Extended thinking", "Prompt caching", "Vision".
		names: "anthropic", hosts: "api.anthropic.com",
		Profile: Profile{
			Limit: MaxTokens, Words: words{model.Off: "disabled"}, Thoughts: Signed, CallIDs: CallIDs{Max: 64, Letters: "_-"}, Schema: AnthropicSchema, Cache: Breakpoints,
			Pictures: picture.Limits{MaxBytes: 5 << 20, MaxSide: 8000, Many: 20, ManySide: 2000, MaxNumber: 100},
		},
	},
	{
		// Gemini API, "OpenAI compatibility", "Thinking", "Thought signatures".
		// Vertex AI, "Using OpenAI libraries with Vertex AI": the same models.
		names: "gemini google vertex", hosts: "generativelanguage.googleapis.com aiplatform.googleapis.com *-aiplatform.googleapis.com",
		Profile: Profile{Limit: MaxTokens, Thinking: Effort, Words: threeLevels, Thoughts: Signed, CallIDs: CallIDs{Max: 64, Letters: "_-"}, Schema: GoogleSchema},
	},
	{
		// OpenRouter, "Reasoning tokens", "Prompt caching", "Usage accounting".
		names: "openrouter", hosts: "openrouter.ai",
		Profile: Profile{
			Headers: map[string]string{"HTTP-Referer": "https://parley.dev", "X-Title": "Parley"}, // "App attribution"
			Limit:   MaxTokens, Thinking: Reasoning, Words: words{model.Off: "none"}, Thoughts: ReasoningDetails, CallIDs: openAIIDs, Usage: CacheReadWithWrite,
		},
	},
	{
		// DeepSeek API, "Thinking mode", "Create chat completion".
		names: "deepseek", hosts: "api.deepseek.com",
		Profile: Profile{
			Limit: MaxTokens, Thinking: SwitchEffort, Words: words{model.XHigh: "max"}, Thoughts: ReasoningContent, EmptyThoughts: true, CallIDs: CallIDs{Max: 64, Letters: "_-"},
		},
	},
	{
		// Mistral, "Reasoning", "Function calling": an id has exactly nine letters.
		names: "mistral", hosts: "api.mistral.ai codestral.mistral.ai",
		Profile: Profile{
			Limit: MaxTokens, Thinking: Effort, Thoughts: ContentParts, CallIDs: CallIDs{Max: 9, Exact: true}, Alternate: true,
			Pictures: picture.Limits{MaxBytes: 10 << 20, MaxNumber: 8}, // "Vision": FAQ; pi's test of the limits of 2025-12 found 8, too
			Words:    words{model.Off: "none", model.Minimal: "high", model.Low: "high", model.Medium: "high", model.XHigh: "high"},
		},
	},
	{
		// Groq, "Reasoning", "Chat completions", "Images and vision": a request has at most 5 pictures of at most 33 megapixels,
		// and 4 MB of base64, which 5 of 600 KiB are. Models that do not reason refuse their own members for it.
		names: "groq", hosts: "api.groq.com",
		Profile: Profile{Limit: MaxCompletionTokens, Thinking: Effort, Words: threeLevels, CallIDs: CallIDs{Max: 64, Letters: "_-"}, Pictures: picture.Limits{MaxBytes: 600 << 10, MaxSide: 5760, MaxNumber: 5}},
	},
	{
		// xAI, "Chat completions", "Reasoning", "Prompt caching": without the header requests go to any of its servers.
		names: "xai", hosts: "api.x.ai",
		Profile: Profile{Limit: MaxCompletionTokens, Thinking: Effort, Words: threeLevels, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Letters: "_-"}, Cache: CacheHeader},
	},
	{
		// Moonshot AI, "Kimi API: thinking models".
		names: "moonshot moonshotai kimi", hosts: "api.moonshot.ai api.moonshot.cn",
		Profile: Profile{Limit: MaxTokens, Thinking: Switch, Thoughts: ReasoningContent, EmptyThoughts: true, CallIDs: CallIDs{Max: 64, Any: true}},
	},
	{
		// Cerebras Inference, "Chat completions", "Reasoning".
		names: "cerebras", hosts: "api.cerebras.ai",
		Profile: Profile{Limit: MaxCompletionTokens, Thinking: Effort, Words: threeLevels, CallIDs: CallIDs{Max: 64, Letters: "_-"}},
	},
	{
		// Z.AI, "Thinking mode".
		names: "zai zhipu", hosts: "api.z.ai open.bigmodel.cn",
		Profile: Profile{Limit: MaxTokens, Thinking: Switch, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Letters: "_-"}},
	},
	{
		// Alibaba Cloud Model Studio, "Deep thinking".
		names: "qwen alibaba", hosts: "dashscope.aliyuncs.com dashscope-intl.aliyuncs.com dashscope-us.aliyuncs.com",
		Profile: Profile{Limit: MaxTokens, Thinking: Enable, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Letters: "_-"}},
	},
	{
		// Ollama, "OpenAI compatibility".
		names: "ollama", hosts: ":11434",
		Profile: Profile{
			Limit: MaxTokens, Thinking: Effort, Words: words{model.Off: "none", model.Minimal: "low", model.XHigh: "high"}, Thoughts: AsReceived,
			CallIDs: CallIDs{Max: 64, Any: true}, Alternate: true,
		},
	},
	{
		// llama.cpp, tools/server/README.md. The template of the model may demand that messages alternate.
		names:   "llama.cpp llamacpp llama-server",
		Profile: Profile{Limit: MaxTokens, Thinking: Template, Words: threeLevels, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Any: true}, Alternate: true},
	},
	{
		// vLLM, "OpenAI-compatible server", "Reasoning outputs".
		names:   "vllm",
		Profile: Profile{Limit: MaxTokens, Thinking: Template, Words: threeLevels, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Any: true}, Alternate: true},
	},
	{
		// LM Studio, "OpenAI compatibility endpoints".
		names: "lmstudio", hosts: ":1234",
		Profile: Profile{Limit: MaxTokens, Thinking: Effort, Words: threeLevels, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Any: true}, Alternate: true},
	},
	{
		// Servers and gateways that resemble OpenAI's: what all of them take.
		names:   compatible,
		Profile: Profile{Limit: MaxTokens, Thinking: Effort, Thoughts: AsReceived, CallIDs: CallIDs{Max: 64, Any: true}, Alternate: true},
	},
}
