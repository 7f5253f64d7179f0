package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/sse"
)

// This file contains the body of a Chat Completions request as Go types and nothing else. Source:
// OpenAI API reference, "Create chat completion", with what other servers add. Members that are
// not used here are left out. No member is sent as null; one with omitzero is absent when it is
// zero. The order of fields is the order on the wire.

// A chatRequest is the body of POST /chat/completions.
type chatRequest struct {
	Stream              bool              `json:"stream"` // always true
	Messages            []chatMessage     `json:"messages"`
	Model               string            `json:"model"`
	MaxCompletionTokens int               `json:"max_completion_tokens,omitzero"` // with the reasoning
	MaxTokens           int               `json:"max_tokens,omitzero"`            // the older name, which most other servers take
	PromptCacheKey      string            `json:"prompt_cache_key,omitzero"`
	Temperature         *float64          `json:"temperature,omitzero"` // 0 to 2
	ReasoningEffort     string            `json:"reasoning_effort,omitzero"`
	ServiceTier         string            `json:"service_tier,omitzero"`
	StreamOptions       chatStreamOptions `json:"stream_options"`

	// How other servers are asked for reasoning; at most one of these.
	Reasoning      chatReasoning     `json:"reasoning,omitzero"`            // OpenRouter
	Thinking       chatThinkingMode  `json:"thinking,omitzero"`             // DeepSeek, Moonshot, Z.ai
	EnableThinking *bool             `json:"enable_thinking,omitzero"`      // Qwen
	TemplateArgs   *chatTemplateArgs `json:"chat_template_kwargs,omitzero"` // vLLM, SGLang, llama.cpp
	PromptMode     string            `json:"prompt_mode,omitzero"`          // Mistral: reasoning
	ExtraBody      *chatExtraBody    `json:"extra_body,omitzero"`           // Gemini

	ResponseFormat chatFormat `json:"response_format,omitzero"` // absent: any text

	Tools []chatTool `json:"tools,omitzero"`
}

type chatFormat struct {
	Type       string     `json:"type"` // json_schema
	JSONSchema chatSchema `json:"json_schema"`
}

type chatSchema struct {
	Name   string         `json:"name"`   // of our choice
	Strict bool           `json:"strict"` // the schema is of the subset that the server can enforce
	Schema jsontext.Value `json:"schema"`
}

type chatStreamOptions struct {
	IncludeUsage bool `json:"include_usage"` // always true
}

type chatReasoning struct {
	Effort string `json:"effort"`
}

type chatThinkingMode struct {
	Type string `json:"type"` // enabled or disabled
}

// A chatTemplateArgs is read by the chat template of the model.
type chatTemplateArgs struct {
	EnableThinking  bool   `json:"enable_thinking"`
	ReasoningEffort string `json:"reasoning_effort,omitzero"`
}

type chatExtraBody struct {
	Google chatGoogle `json:"google"`
}

type chatGoogle struct {
	ThinkingConfig chatGoogleThinking `json:"thinking_config"`
}

// A chatGoogleThinking has a level or a budget.
type chatGoogleThinking struct {
	IncludeThoughts bool   `json:"include_thoughts,omitzero"`
	ThinkingBudget  *int   `json:"thinking_budget,omitzero"` // in tokens
	ThinkingLevel   string `json:"thinking_level,omitzero"`
}

// A chatMessage is the union of the messages; Role determines which members count.
type chatMessage struct {
	Content    any            `json:"content,omitzero"`      // a string or []chatPart; absent: the assistant only calls tools
	ToolCallID string         `json:"tool_call_id,omitzero"` // of tool
	ToolCalls  []chatToolCall `json:"tool_calls,omitzero"`   // of assistant
	Role       string         `json:"role"`                  // system, user, assistant or tool

	// The reasoning of assistant, for servers that want it back.
	ReasoningContent *string           `json:"reasoning_content,omitzero"` // DeepSeek, vLLM, Moonshot …
	Reasoning        string            `json:"reasoning,omitzero"`         // OpenRouter, Groq, Ollama
	ReasoningDetails []detail          `json:"reasoning_details,omitzero"` // OpenRouter
	ExtraContent     *chatExtraContent `json:"extra_content,omitzero"`     // Gemini
}

// A chatPart is the union of the parts of content; Type determines which members count.
type chatPart struct {
	Text         *string           `json:"text,omitzero"`      // of text
	ImageURL     *chatImageURL     `json:"image_url,omitzero"` // of image_url
	Thinking     []chatPart        `json:"thinking,omitzero"`  // of thinking (Mistral): parts of type text
	Type         string            `json:"type"`
	CacheControl *chatCacheControl `json:"cache_control,omitzero"` // OpenRouter, for Anthropic's models
}

type chatImageURL struct {
	URL sse.Picture `json:"url"` // an address, or data:TYPE;base64,DATA
}

type chatCacheControl struct {
	TTL  string `json:"ttl,omitzero"` // 5m or 1h; absent: 5m
	Type string `json:"type"`         // ephemeral
}

type chatToolCall struct {
	ID           string            `json:"id"`
	Function     chatFunctionCall  `json:"function"`
	Type         string            `json:"type"` // function
	ExtraContent *chatExtraContent `json:"extra_content,omitzero"`
}

type chatFunctionCall struct {
	Arguments string `json:"arguments"` // a JSON object
	Name      string `json:"name"`
}

// A chatExtraContent is what Gemini adds to messages and calls.
type chatExtraContent struct {
	Google chatThoughtSignature `json:"google"`
}

type chatThoughtSignature struct {
	ThoughtSignature string `json:"thought_signature"`
}

type chatTool struct {
	Function chatFunction `json:"function"`
	Type     string       `json:"type"` // function
}

type chatFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"` // JSON Schema
}
