package sse

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/model"
)

// stops are the reasons to stop of a finished answer, in lower case. "" leaves it to the answer: it
// wants tools if it calls any, and has else ended. Gateways send the words of one wire on another.
var stops = map[string]model.Stop{
	"":              "",
	"stop":          "",
	"end":           "",
	"end_turn":      "",
	"eos":           "",
	"eos_token":     "", // TGI
	"complete":      "", // Cohere
	"tool_calls":    "",
	"tool_call":     "",
	"tool_use":      "",
	"function_call": "",
	"pause_turn":    "",

	"length":                        model.StopTokens,
	"max_tokens":                    model.StopTokens,
	"max_output_tokens":             model.StopTokens,
	"model_length":                  model.StopTokens, // Mistral: the window is full
	"model_context_window_exceeded": model.StopTokens, // Anthropic

	"stop_sequence": model.StopSequence,

	"content_filter":     model.StopRefused,
	"refusal":            model.StopRefused,
	"safety":             model.StopRefused, // Gemini
	"recitation":         model.StopRefused, // Gemini
	"blocklist":          model.StopRefused, // Gemini
	"prohibited_content": model.StopRefused, // Gemini
	"spii":               model.StopRefused, // Gemini
	"sensitive":          model.StopRefused, // Z.ai
}

// unfinished are the reasons to stop of an answer that the server could not finish. Any other reason
// that is not in stops is taken for one of them.
var unfinished = map[string]model.ErrorKind{
	"error":                        model.Overloaded, // OpenRouter, Mistral
	"network_error":                model.Overloaded, // Z.ai
	"insufficient_system_resource": model.Overloaded, // DeepSeek
	"abort":                        model.Overloaded, // SGLang, vLLM
	"cancelled":                    model.Overloaded, // OpenAI Responses
	"failed":                       model.Overloaded, // OpenAI Responses
}

// StopOf returns what the reason to stop of a wire means; "": the answer itself shows it. The error
// is a *Fault: the server ended an answer that is not whole.
func StopOf(reason string) (model.Stop, error) {
	word := strings.ToLower(reason)
	if stop, ok := stops[word]; ok {
		return stop, nil
	}
	if filter, _, ok := strings.Cut(word, ":"); ok && filter == "content_filter" { // Gemini: "content_filter: PROHIBITED_CONTENT"
		return model.StopRefused, nil
	}
	kind, ok := unfinished[word]
	if !ok {
		kind = model.BrokenStream
	}
	return "", &Fault{Message: fmt.Sprintf("the server ended the answer with the reason %q", excerpt([]byte(reason))), kind: kind}
}
