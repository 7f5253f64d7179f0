package openai

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// reasoningFields are the members of an answer that hold its reasoning. The one that it came in is
// the Signature of the thinking block.
var reasoningFields = []string{"reasoning_content", "reasoning"}

// chatAssistant returns m as one message, or none if nothing of it can be said on this wire.
func chatAssistant(m model.Message, at *profile.Profile) []chatMessage {
	a := chatMessage{Role: roleAssistant, ToolCalls: chatCalls(m, at)}
	if text := m.Text(); text != "" {
		a.Content = text
	}
	if a.Content == nil && len(a.ToolCalls) == 0 {
		return nil
	}
	a.setThoughts(m, at)
	return []chatMessage{a}
}

// setThoughts sets the members in which the reasoning of m goes back.
func (a *chatMessage) setThoughts(m model.Message, at *profile.Profile) {
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
			a.ExtraContent = googleSigned(signature)
			return
		}
		text, details = "", nil
	default:
		text, details = "", nil
	}
	switch {
	case details != nil:
		a.ReasoningDetails = details
	case text != "" && field == partsSignature:
		a.Content = replayedParts(text, m.Text())
	case text != "" && field == "reasoning":
		a.Reasoning = text
	case text != "" || at.EmptyThoughts:
		a.ReasoningContent = &text
	}
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

func chatCalls(m model.Message, at *profile.Profile) []chatToolCall {
	var calls []chatToolCall
	signed := signatures(m)
	for i, call := range m.Calls() {
		signature := signed[i]
		if i == 0 && len(signed) == 0 {
			signature = at.StandInSignature
		}
		calls = append(calls, chatToolCall{
			ID:           call.ID,
			Type:         typeFunction,
			Function:     chatFunctionCall{Name: call.Name, Arguments: arguments(&call)},
			ExtraContent: googleSigned(signature),
		})
	}
	return calls
}
