package openai

import "slices"

// cachedTurns is how many of the last messages before an answer end in a cache breakpoint: the
// newest, for the next request, and the one before, which the last request wrote.
const cachedTurns = 2

// setBreakpoints asks that what is repeated in the next request is cached: the system prompt with
// the tools before it, and the conversation (OpenRouter, "Prompt caching", for Anthropic's models).
func setBreakpoints(messages []chatMessage, ttl string) {
	for i := range messages {
		if messages[i].Role == roleSystem {
			messages[i].cache(ttl)
		}
	}
	left := cachedTurns
	for i, m := range slices.Backward(messages) {
		if left == 0 {
			return
		}
		if i+1 < len(messages) && messages[i+1].Role != roleAssistant {
			continue // not the end of what came before an answer
		}
		if m.Role == roleUser || m.Role == roleTool {
			messages[i].cache(ttl)
			left--
		}
	}
}

// cache ends a in a breakpoint. A string becomes a part, which can have one.
func (a *chatMessage) cache(ttl string) {
	if text, ok := a.Content.(string); ok {
		a.Content = []chatPart{textPart(text)}
	}
	parts := a.Content.([]chatPart)
	parts[len(parts)-1].CacheControl = &chatCacheControl{Type: "ephemeral", TTL: ttl}
}
