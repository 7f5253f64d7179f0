package openai

import (
	"strconv"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// chatThinking asks for the thinking level t in the way of the endpoint. "" asks for nothing: the
// model's own default counts.
func chatThinking(p *chatRequest, at *profile.Profile, t model.Thinking) {
	if t == "" {
		return
	}
	word, on := at.Word(t), t != model.Off
	switch at.Thinking {
	case profile.Effort:
		p.ReasoningEffort = word
	case profile.Reasoning:
		p.Reasoning.Effort = word
	case profile.Switch:
		p.Thinking = switched(on)
	case profile.SwitchEffort:
		p.Thinking = switched(on)
		if on {
			p.ReasoningEffort = word
		}
	case profile.Enable:
		p.EnableThinking = &on
	case profile.Template:
		p.ReasoningEffort = word
		p.TemplateArgs = &chatTemplateArgs{EnableThinking: on, ReasoningEffort: word}
	case profile.PromptMode:
		if on {
			p.PromptMode = "reasoning"
		}
	case profile.GoogleLevel:
		p.ExtraBody = google(chatGoogleThinking{ThinkingLevel: word, IncludeThoughts: on})
	case profile.GoogleBudget:
		budget, _ := strconv.Atoi(word) // the table has digits
		p.ExtraBody = google(chatGoogleThinking{ThinkingBudget: &budget, IncludeThoughts: on})
	}
}

func switched(on bool) chatThinkingMode {
	if on {
		return chatThinkingMode{Type: "enabled"}
	}
	return chatThinkingMode{Type: "disabled"}
}

// google returns Gemini's own setting of thinking. Its value and whether thoughts are shown go
// together: a request that has one in reasoning_effort cannot have the other.
func google(thinking chatGoogleThinking) *chatExtraBody {
	return &chatExtraBody{Google: chatGoogle{ThinkingConfig: thinking}}
}
