package openai

import (
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// reasoningFields are the members of an answer that hold its reasoning. The one that it came in is
// the Signature of the thinking block.
var reasoningFields = []string{"reasoning_content", "reasoning"}

// chatAssistant returns m as one message, or none if nothing of it can be said on this wire.
func chatAssistant(m model.Message, at *profile.Profile) []openai.ChatCompletionMessageParamUnion {
	a := openai.ChatCompletionAssistantMessageParam{ToolCalls: chatCalls(m, at)}
	text := m.Text()
	if text != "" {
		a.Content.OfString = openai.String(text)
	}
	if text == "" && len(a.ToolCalls) == 0 {
		return nil
	}
	if thoughts := chatThoughts(m, at); thoughts != nil {
		a.SetExtraFields(thoughts)
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &a}}
}

// chatThoughts returns the members in which the reasoning of m goes back; nil: there are none.
func chatThoughts(m model.Message, at *profile.Profile) map[string]any {
	field, text := reasoningOf(m)
	details := detailsOf(m)
	switch at.Thoughts {
	case profile.AsReceived:
	case profile.ReasoningDetails:
		field = "reasoning"
	case profile.ReasoningContent, profile.ReasoningText, profile.ContentParts:
		field, details = string(at.Thoughts), nil
	case profile.Signed:
		if signature := signatures(m)[-1]; signature != "" {
			return googleSigned(signature)
		}
		text, details = "", nil
	default:
		text, details = "", nil
	}
	switch {
	case details != nil:
		return map[string]any{"reasoning_details": details}
	case text != "" && field == partsSignature:
		return map[string]any{field: replayedParts(text, m.Text())}
	case text != "":
		return map[string]any{field: text}
	case at.EmptyThoughts:
		return map[string]any{"reasoning_content": ""}
	}
	return nil
}

// reasoningOf returns the reasoning of m that came as text, and the member that it came in.
func reasoningOf(m model.Message) (field, text string) {
	var all strings.Builder
	for _, b := range m.Blocks {
		if b.Kind == model.KindThinking && (slices.Contains(reasoningFields, b.Signature) || b.Signature == partsSignature) {
			field = b.Signature
			all.WriteString(b.Text)
		}
	}
	return field, all.String()
}

func chatCalls(m model.Message, at *profile.Profile) []openai.ChatCompletionMessageToolCallUnionParam {
	var calls []openai.ChatCompletionMessageToolCallUnionParam
	signed := signatures(m)
	for i, call := range m.Calls() {
		f := openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID}
		f.Function.Name, f.Function.Arguments = call.Name, arguments(&call)
		signature := signed[i]
		if i == 0 && len(signed) == 0 {
			signature = at.StandInSignature
		}
		if signature != "" {
			f.SetExtraFields(googleSigned(signature))
		}
		calls = append(calls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &f})
	}
	return calls
}
