package sse

import (
	"net/http"
	"strings"

	"parley.dev/parley/internal/lazy"
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
	"model_not_found":            model.ModelNotFound,
	"invalid_model":              model.ModelNotFound, // Mistral, gateways
	"invalid_prompt":             model.Rejected,
	"content_policy_violation":   model.Rejected,
	"moderation_blocked":         model.Rejected,
	"content_filter":             model.Rejected, // Azure, Moonshot
	"data_inspection_failed":     model.Rejected, // Qwen
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
	"not_found_error":       model.Rejected, // Anthropic: of models and of anything else
	"api_error":             model.Overloaded,
}

// missingModel matches what servers say with 404 of a model that they do not have: OpenAI's "The
// model `x` does not exist", Ollama's "model "x" not found, try pulling it first", Gemini's
// "models/x is not found", and Anthropic's "model: x".
var missingModel = lazy.Regexp{Expr: `^model: |\bmodels?\b.*(not found|not exist|not available|unknown|no such)|no such model`}

// kindOf returns what a caller can act on: by the backend's own code, then by what its
// message says, then by the HTTP status. What fails within a stream and says nothing we
// know is the server's trouble.
func kindOf(f *Fault) model.ErrorKind {
	if f.kind != "" {
		return f.kind
	}
	if kind := misnamed(f.Message); kind != "" {
		return kind
	}
	if f.moderated() {
		return model.Rejected
	}
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

// kindOfMessage returns what message says; "": nothing. Only a client's fault is looked for
// in it: a 5xx may quote anything.
func kindOfMessage(message string, status int) model.ErrorKind {
	if status >= 500 {
		return ""
	}
	message = strings.ToLower(message)
	if status == http.StatusNotFound && missingModel.Get().MatchString(message) {
		return model.ModelNotFound
	}
	for _, p := range phrases {
		if p.kind == model.ContextTooLong && status == http.StatusTooManyRequests {
			continue // of the rate limit, in tokens
		}
		if strings.Contains(message, p.says) {
			return p.kind
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
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500:
		return model.Overloaded
	case status >= 400:
		return model.Rejected
	}
	return model.BrokenStream // a redirect that was not followed
}
