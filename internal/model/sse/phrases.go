package sse

import (
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// phrases are what messages say where the code does not, in lower case, and of which server. The first
// that is found counts. An account without money is reported as 400, 403 or 429; a request that is too
// long as 400, 413 or 422.
var phrases = []struct {
	kind   model.ErrorKind
	says   string
	server string
}{
	{model.RateLimited, "please retry in", "Gemini: it calls its limits per minute a quota"},

	{model.Quota, "credit balance is too low", "Anthropic"},
	{model.Quota, "exceeded your current quota", "OpenAI, Gemini"},
	{model.Quota, "billing details", "OpenAI"},
	{model.Quota, "insufficient balance", "DeepSeek"},
	{model.Quota, "insufficient credits", "OpenRouter"},
	{model.Quota, "requires more credits", "OpenRouter"},
	{model.Quota, "doesn't have any credits", "xAI"},
	{model.Quota, "used all available credits", "xAI"},
	{model.Quota, "monthly spending limit", "xAI"},

	{model.Auth, "api key not valid", "Gemini"},
	{model.Auth, "api key expired", "Gemini"},
	{model.Auth, "incorrect api key", "xAI"},

	{model.ModelNotFound, "unknown model", "gateways"},
	{model.ModelNotFound, "invalid model", "Mistral"},
	{model.ModelNotFound, "model not exist", "DeepSeek"},
	{model.ModelNotFound, "is not a valid model", "OpenRouter"},
	{model.ModelNotFound, "no endpoints found for", "OpenRouter"},
	{model.ModelNotFound, "model is not supported", "ChatGPT accounts"},

	{model.ContextTooLong, "prompt is too long", "Anthropic"},
	{model.ContextTooLong, "exceed context limit", "Anthropic: input plus max_tokens"},
	{model.ContextTooLong, "input is too long", "Bedrock"},
	{model.ContextTooLong, "maximum context length", "OpenAI, vLLM, OpenRouter, DeepSeek"},
	{model.ContextTooLong, "context window", "OpenAI Responses, MiniMax"},
	{model.ContextTooLong, "context_length_exceeded", "upstreams, quoted by gateways"},
	{model.ContextTooLong, "available context size", "llama.cpp"},
	{model.ContextTooLong, "context length is only", "vLLM"},
	{model.ContextTooLong, "longer than the model's context length", "SGLang"},
	{model.ContextTooLong, "prompt too long", "Ollama"},
	{model.ContextTooLong, "`max_new_tokens` must be <=", "TGI"},
	{model.ContextTooLong, "inputs` must have less than", "Together"},
	{model.ContextTooLong, "range of input length should be", "Qwen"},
	{model.ContextTooLong, "too large for model with", "Mistral"},
	{model.ContextTooLong, "prompt token count of", "Copilot"},
	{model.ContextTooLong, "greater than the context length", "LM Studio"},
	{model.ContextTooLong, "maximum number of tokens allowed", "Gemini"},
	{model.ContextTooLong, "maximum prompt length", "xAI"},
	{model.ContextTooLong, "reduce the length of the messages", "Groq, Cerebras"},
	{model.ContextTooLong, "exceeded model token limit", "Moonshot"},
}

// misnamed returns the kind of a failure whose code is that of a rate limit, although waiting does not
// help; "": it is another one. Groq and OpenAI refuse a request that alone is larger than a limit per
// minute ("Request too large for M … on tokens per minute (TPM): Limit 6000, Requested 8012"), Anthropic
// long contexts of accounts that have not paid for them.
func misnamed(message string) model.ErrorKind {
	message = strings.ToLower(message)
	switch {
	case strings.Contains(message, "request too large") && strings.Contains(message, "tokens per min"):
		return model.ContextTooLong
	case strings.Contains(message, "extra usage is required"):
		return model.Quota
	}
	return ""
}

// affordable matches OpenRouter's "You requested up to 16384 tokens, but can only afford 1200".
var affordable = lazy.Regexp{Expr: `can only afford (\d+)`}
