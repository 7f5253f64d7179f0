package openai

import (
	"strconv"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// chatThinking asks for the thinking level t in the way of the endpoint. "" asks for nothing: the
// model's own default counts.
func chatThinking(p *openai.ChatCompletionNewParams, at *profile.Profile, t model.Thinking) {
	if t == "" {
		return
	}
	word, on := at.Word(t), t != model.Off
	switch at.Thinking {
	case profile.Effort:
		p.ReasoningEffort = shared.ReasoningEffort(word)
	case profile.Reasoning:
		if word != "" {
			p.SetExtraFields(map[string]any{"reasoning": map[string]any{"effort": word}})
		}
	case profile.Switch:
		p.SetExtraFields(map[string]any{"thinking": switched(on)})
	case profile.SwitchEffort:
		p.SetExtraFields(map[string]any{"thinking": switched(on)})
		if on {
			p.ReasoningEffort = shared.ReasoningEffort(word)
		}
	case profile.Enable:
		p.SetExtraFields(map[string]any{"enable_thinking": on})
	case profile.Template:
		p.ReasoningEffort = shared.ReasoningEffort(word)
		template := map[string]any{"enable_thinking": on}
		if word != "" {
			template["reasoning_effort"] = word
		}
		p.SetExtraFields(map[string]any{"chat_template_kwargs": template})
	case profile.PromptMode:
		if on {
			p.SetExtraFields(map[string]any{"prompt_mode": "reasoning"})
		}
	case profile.GoogleLevel:
		p.SetExtraFields(google("thinking_level", word, on))
	case profile.GoogleBudget:
		budget, _ := strconv.Atoi(word) // the table has digits
		p.SetExtraFields(google("thinking_budget", budget, on))
	}
}

func switched(on bool) map[string]any {
	if on {
		return map[string]any{"type": "enabled"}
	}
	return map[string]any{"type": "disabled"}
}

// google returns Gemini's own setting of thinking. Its value and whether thoughts are shown go
// together: a request that has one in reasoning_effort cannot have the other.
func google(name string, value any, shown bool) map[string]any {
	config := map[string]any{name: value}
	if shown {
		config["include_thoughts"] = true
	}
	return map[string]any{"extra_body": map[string]any{"google": map[string]any{"thinking_config": config}}}
}
