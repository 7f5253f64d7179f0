package sse

import (
	"net/http"
	"strings"

	"parley.dev/parley/internal/model"
)

// codes says what the backends' own words mean, whatever the HTTP status. Lower case
// here; backends write them in both.
var codes = map[string]model.ErrorKind{
	// OpenAI (platform docs, "Error codes") and its imitators
	"invalid_api_key":            model.Auth,
	"insufficient_quota":         model.Quota,
	"billing_not_active":         model.Quota,
	"billing_hard_limit_reached": model.Quota,
	"rate_limit_exceeded":        model.RateLimited,
	"context_length_exceeded":    model.ContextTooLong,
	"exceed_context_size_error":  model.ContextTooLong, // llama.cpp
	"model_not_found":            model.Rejected,
	"invalid_prompt":             model.Rejected,
	"server_error":               model.Overloaded,
	"server_is_overloaded":       model.Overloaded,
	"slow_down":                  model.Overloaded,
	"service_unavailable_error":  model.Overloaded,
	"vector_store_timeout":       model.Overloaded,
	// Anthropic ("Errors")
	"authentication_error": model.Auth,
	"permission_error":     model.Auth,
	"billing_error":        model.Quota,
	"rate_limit_error":     model.RateLimited,
	"request_too_large":    model.ContextTooLong,
	"not_found_error":      model.Rejected,
	"overloaded_error":     model.Overloaded,
	"timeout_error":        model.Overloaded,
	// gateways
	"session_expired":         model.Auth,
	"model_access_denied":     model.Auth,
	"rate_limited":            model.RateLimited,
	"backend_rate_limited":    model.RateLimited,
	"budget_exceeded":         model.Quota,
	"quota_exceeded":          model.Quota,
	"validation_error":        model.Rejected,
	"model_unavailable":       model.Overloaded,
	"backend_error":           model.Overloaded,
	"backend_timeout":         model.Overloaded,
	"upstream_shape_mismatch": model.BrokenStream,
}

// families are the beginnings of codes that mean the same.
var families = map[string]model.ErrorKind{
	"auth_":  model.Auth,
	"authz_": model.Auth,
}

// broad are words that an HTTP status is more exact than; they count where there is none.
var broad = map[string]model.ErrorKind{
	"invalid_request_error": model.Rejected,
	"api_error":             model.Overloaded,
}

// phrases are what messages say where the code does not. An account without money is
// told as 400, 403 or 429; a request that is too long as 400, 413 or 422.
var phrases = []struct {
	kind model.ErrorKind
	says []string
}{
	{model.RateLimited, []string{
		"please retry in", // Gemini calls its limits per minute a quota
	}},
	{model.Quota, []string{
		"credit balance is too low",   // Anthropic
		"exceeded your current quota", // OpenAI, Gemini
		"insufficient balance",        // DeepSeek
		"insufficient credits",        // OpenRouter
		"requires more credits",       // OpenRouter
		"billing details",             // OpenAI
	}},
	{model.ContextTooLong, []string{
		"prompt is too long",                // Anthropic
		"exceed context limit",              // Anthropic: input plus max_tokens
		"input is too long",                 // Bedrock
		"maximum context length",            // OpenAI, vLLM, OpenRouter
		"context window",                    // OpenAI Responses, MiniMax
		"context_length_exceeded",           // upstreams, quoted by gateways
		"available context size",            // llama.cpp
		"greater than the context length",   // LM Studio
		"maximum number of tokens allowed",  // Gemini
		"maximum prompt length",             // xAI
		"reduce the length of the messages", // Groq
		"exceeded model token limit",        // Moonshot
	}},
}

// kindOf says what a caller can act on: by the backend's own code, then by what its
// message says, then by the HTTP status. What fails within a stream and says nothing we
// know is the server's trouble.
func kindOf(f *Fault) model.ErrorKind {
	words := []string{strings.ToLower(f.Code), strings.ToLower(f.Type)}
	for _, word := range words {
		if kind, ok := codes[word]; ok {
			return kind
		}
		for start, kind := range families {
			if strings.HasPrefix(word, start) {
				return kind
			}
		}
	}
	status := f.status
	if status == 0 || status/100 == 2 {
		status = f.hint
	}
	if kind := kindOfMessage(f.Message, status); kind != "" {
		return kind
	}
	if status != 0 {
		return kindOfStatus(status)
	}
	for _, word := range words {
		if kind, ok := broad[word]; ok {
			return kind
		}
	}
	return model.Overloaded
}

// kindOfMessage is what message says; "": nothing. Only a client's fault is looked for
// in it: a 5xx may quote anything.
func kindOfMessage(message string, status int) model.ErrorKind {
	if status >= 500 {
		return ""
	}
	message = strings.ToLower(message)
	for _, p := range phrases {
		if p.kind == model.ContextTooLong && status == http.StatusTooManyRequests {
			continue // of the rate limit, in tokens
		}
		for _, phrase := range p.says {
			if strings.Contains(message, phrase) {
				return p.kind
			}
		}
	}
	return ""
}

func kindOfStatus(status int) model.ErrorKind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.Auth
	case status == http.StatusPaymentRequired:
		return model.Quota
	case status == http.StatusRequestEntityTooLarge:
		return model.ContextTooLong
	case status == http.StatusTooManyRequests:
		return model.RateLimited
	case status == http.StatusRequestTimeout, status >= 500:
		return model.Overloaded
	case status >= 400:
		return model.Rejected
	}
	return model.BrokenStream // a redirect that nobody followed
}
