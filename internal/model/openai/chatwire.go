package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// This file is the Chat Completions stream as Go types and nothing else. Source: OpenAI
// API reference, "The chat completion chunk object", with what other servers add. Any
// member may be absent or null; members that do not matter here are left out.

// A chatChunk is one event.
type chatChunk struct {
	Model   string         `json:"model"`
	Error   jsontext.Value `json:"error"` // gateways: the answer failed
	Choices []struct {
		Delta        chatDelta `json:"delta"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage `json:"usage"` // of the whole answer so far
}

type chatDelta struct {
	Content          jsontext.Value `json:"content"`
	Refusal          jsontext.Value `json:"refusal"`
	ReasoningContent jsontext.Value `json:"reasoning_content"` // DeepSeek, vLLM, Moonshot …
	Reasoning        jsontext.Value `json:"reasoning"`         // OpenRouter, Groq, Ollama
	ToolCalls        []chatCall     `json:"tool_calls"`
}

type chatCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
	Extra struct {
		Google struct {
			ThoughtSignature string `json:"thought_signature"` // Gemini: must come back with the call
		} `json:"google"`
	} `json:"extra_content"`
}

type chatUsage struct {
	PromptTokens        int `json:"prompt_tokens"` // including the cached
	CompletionTokens    int `json:"completion_tokens"`
	PromptTokensDetails struct {
		CachedTokens     int `json:"cached_tokens"`
		CacheWriteTokens int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	PromptCacheHitTokens int `json:"prompt_cache_hit_tokens"` // DeepSeek, instead of the details
}

func (u *chatUsage) usage() model.Usage {
	read, write := max(u.PromptTokensDetails.CachedTokens, u.PromptCacheHitTokens), u.PromptTokensDetails.CacheWriteTokens
	return model.Usage{
		Input:      max(u.PromptTokens-read-write, 0),
		Output:     u.CompletionTokens,
		CacheRead:  read,
		CacheWrite: write,
		Thinking:   u.CompletionTokensDetails.ReasoningTokens,
	}
}
