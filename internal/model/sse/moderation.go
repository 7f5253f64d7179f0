package sse

import (
	"slices"
	"strings"
)

// moderationCodes are the codes of refusals by moderation, in lower case.
var moderationCodes = []string{
	"content_policy_violation",     // OpenAI
	"moderation_blocked",           // OpenAI
	"responsibleaipolicyviolation", // Azure
	"content_filter",               // Azure, Moonshot
	"data_inspection_failed",       // Qwen
	"datainspectionfailed",         // Qwen, at its own interface
	"internalerror.algo.datainspectionfailed",
}

// moderationPhrases are what messages of such refusals say, in lower case, and of which server.
var moderationPhrases = []struct{ says, server string }{
	{"flagged as potentially violating", "OpenAI: code invalid_prompt"},
	{"limited access to this content for safety reasons", "OpenAI: code invalid_prompt"},
	{"rejected as a result of our safety system", "OpenAI"},
	{"content management policy", "Azure"},
	{"blocked by content filtering policy", "Anthropic"},
	{"prohibited_content", "Gemini"},
	{"input was flagged", "OpenRouter"},
	{"content violates usage guidelines", "xAI"},
	{"content exists risk", "DeepSeek"},
	{"considered high risk", "Moonshot"},
	{"datainspectionfailed", "Qwen"},
	{"may contain inappropriate content", "Qwen"},
	{"unsafe or sensitive content", "Z.ai"},
}

// moderated reports whether the server refused the texts or pictures of a request by its moderation.
func (f *Fault) moderated() bool {
	if f.status >= 500 || f.hint >= 500 {
		return false // it may quote anything
	}
	if slices.Contains(moderationCodes, strings.ToLower(f.Code)) || slices.Contains(moderationCodes, strings.ToLower(f.Type)) {
		return true
	}
	message := strings.ToLower(f.Message)
	for _, p := range moderationPhrases {
		if strings.Contains(message, p.says) {
			return true
		}
	}
	return false
}
