package openai

import (
	"slices"

	"github.com/openai/openai-go/v3"
)

// cachedTurns is how many of the last messages before an answer end in a cache breakpoint: the
// newest, for the next request, and the one before, which the last request wrote.
const cachedTurns = 2

// setBreakpoints asks that what is repeated in the next request is cached: the system prompt with
// the tools before it, and the conversation (OpenRouter, "Prompt caching", for Anthropic's models).
func setBreakpoints(messages []openai.ChatCompletionMessageParamUnion, ttl string) {
	for _, m := range messages {
		if m.OfSystem != nil && m.OfSystem.Content.OfString.Valid() {
			part := cachedText(m.OfSystem.Content.OfString.Value, ttl)
			m.OfSystem.Content = openai.ChatCompletionSystemMessageParamContentUnion{OfArrayOfContentParts: part}
		}
	}
	left := cachedTurns
	for i, m := range slices.Backward(messages) {
		if left == 0 {
			return
		}
		if i+1 < len(messages) && messages[i+1].OfAssistant == nil {
			continue // not the end of what came before an answer
		}
		if cacheTo(m, ttl) {
			left--
		}
	}
}

// cacheTo ends m in a breakpoint, if it is of the user or of a tool.
func cacheTo(m openai.ChatCompletionMessageParamUnion, ttl string) bool {
	switch {
	case m.OfTool != nil:
		if content := &m.OfTool.Content; content.OfString.Valid() {
			*content = openai.ChatCompletionToolMessageParamContentUnion{OfArrayOfContentParts: cachedText(content.OfString.Value, ttl)}
		}
	case m.OfUser != nil && m.OfUser.Content.OfString.Valid():
		text := cachedText(m.OfUser.Content.OfString.Value, ttl)
		m.OfUser.Content = openai.ChatCompletionUserMessageParamContentUnion{
			OfArrayOfContentParts: []openai.ChatCompletionContentPartUnionParam{{OfText: &text[0]}},
		}
	case m.OfUser != nil:
		parts := m.OfUser.Content.OfArrayOfContentParts
		switch last := parts[len(parts)-1]; {
		case last.OfText != nil:
			last.OfText.SetExtraFields(cacheControl(ttl))
		case last.OfImageURL != nil:
			last.OfImageURL.SetExtraFields(cacheControl(ttl))
		}
	default:
		return false
	}
	return true
}

func cachedText(text, ttl string) []openai.ChatCompletionContentPartTextParam {
	part := openai.ChatCompletionContentPartTextParam{Text: text}
	part.SetExtraFields(cacheControl(ttl))
	return []openai.ChatCompletionContentPartTextParam{part}
}

func cacheControl(ttl string) map[string]any {
	point := map[string]any{"type": "ephemeral"}
	if ttl != "" {
		point["ttl"] = ttl
	}
	return map[string]any{"cache_control": point}
}
