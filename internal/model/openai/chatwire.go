package openai

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
)

// This file contains the Chat Completions stream as Go types and nothing else. Source: OpenAI
// API reference, "The chat completion chunk object", with what other servers add. Any
// member may be absent or null; members that do not matter here are left out.

// A chatChunk is one event.
type chatChunk struct {
	Model   string         `json:"model"`
	Error   jsontext.Value `json:"error"` // gateways: the answer failed
	Choices []struct {
		Delta        *chatDelta     `json:"delta"`
		Message      *chatDelta     `json:"message"` // in place of Delta: gateways that do not stream
		FinishReason string         `json:"finish_reason"`
		Error        jsontext.Value `json:"error"` // OpenRouter: the answer failed
		Usage        *chatUsage     `json:"usage"` // Moonshot
	} `json:"choices"`
	Usage *chatUsage `json:"usage"` // of the whole answer so far
	Groq  struct {
		Usage *chatUsage `json:"usage"`
	} `json:"x_groq"` // Groq, where no stream_options were sent
}

type chatDelta struct {
	Content          jsontext.Value `json:"content"`
	Refusal          jsontext.Value `json:"refusal"`
	ReasoningContent jsontext.Value `json:"reasoning_content"` // DeepSeek, vLLM, Moonshot …
	Reasoning        jsontext.Value `json:"reasoning"`         // OpenRouter, Groq, Ollama
	ReasoningDetails []detail       `json:"reasoning_details"` // OpenRouter, beside reasoning or instead of it
	ToolCalls        []chatCall     `json:"tool_calls"`
	Extra            googleExtra    `json:"extra_content"` // Gemini
}

// A chatIndex is a number; some gateways write it as a string. -1: it is neither.
type chatIndex int

func (i *chatIndex) UnmarshalJSON(data []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(data), `"`))
	if err != nil {
		n = -1
	}
	*i = chatIndex(n)
	return nil
}

type chatCall struct {
	Index    *chatIndex `json:"index"`
	ID       string     `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
	Extra googleExtra `json:"extra_content"` // Gemini
}

type chatUsage struct {
	PromptTokens        sse.Tokens `json:"prompt_tokens"`     // including the cached
	CompletionTokens    sse.Tokens `json:"completion_tokens"` // xAI and Gemini: without the reasoning
	TotalTokens         sse.Tokens `json:"total_tokens"`
	PromptTokensDetails struct {
		CachedTokens     sse.Tokens `json:"cached_tokens"`
		CacheWriteTokens sse.Tokens `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens sse.Tokens `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	PromptCacheHitTokens sse.Tokens `json:"prompt_cache_hit_tokens"` // DeepSeek, instead of the details
	CachedTokens         sse.Tokens `json:"cached_tokens"`           // Moonshot, instead of the details

	// OpenRouter: what it charges, in US dollars. With the user's own key of the provider that it
	// forwards to, that is its fee alone.
	Cost        jsontext.Value `json:"cost"`
	OwnKey      bool           `json:"is_byok"`
	CostDetails struct {
		Upstream jsontext.Value `json:"upstream_inference_cost"`
	} `json:"cost_details"`
}

// cost returns what OpenRouter and the provider that it used charge, in US dollars.
func (u *chatUsage) cost() float64 {
	charged := dollars(u.Cost)
	if u.OwnKey {
		charged += dollars(u.CostDetails.Upstream)
	}
	return charged
}

// dollars returns a JSON number; 0: it is something else.
func dollars(v jsontext.Value) float64 {
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil || n < 0 || n > 1e6 {
		return 0
	}
	return n
}

// read returns u with each token counted once. The total has the reasoning where the completion has
// not. Reads contain the writes where rule says so, or where there is no room for both in the prompt.
func (u *chatUsage) read(rule profile.Usage) model.Usage {
	read, write := int(max(u.PromptTokensDetails.CachedTokens, u.PromptCacheHitTokens, u.CachedTokens)), int(u.PromptTokensDetails.CacheWriteTokens)
	if rule == profile.CacheReadWithWrite || read+write > int(u.PromptTokens) {
		read = max(read-write, 0)
	}
	return model.Usage{
		Input:      max(int(u.PromptTokens)-read-write, 0),
		Output:     max(int(u.CompletionTokens), int(u.TotalTokens)-int(u.PromptTokens)),
		CacheRead:  read,
		CacheWrite: write,
		Thinking:   int(u.CompletionTokensDetails.ReasoningTokens),
	}
}
