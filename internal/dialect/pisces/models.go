package pisces

import (
	"cmp"
	"slices"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/model"
)

// modelOf returns a model as clients know it. The address of its endpoint is not sent.
func modelOf(info model.Info) Model {
	m := Model{
		ID: info.ID, Name: cmp.Or(info.Name, info.ID), API: message.APIOf(info), Provider: info.Provider,
		Reasoning: len(info.Thinking) > 0, Input: []string{message.TypeText},
		Cost:          message.CostOf(info),
		ContextWindow: info.ContextWindow, MaxTokens: info.MaxOutput,
	}
	if info.Images {
		m.Input = append(m.Input, message.TypeImage)
	}
	if m.Reasoning {
		m.Thinking = &ModelThinking{Mode: thinkingMode(info.Provider), MinLevel: thinkingLevels[0], MaxLevel: thinkingLevels[len(thinkingLevels)-1]}
		levels := levelsOf(info)
		if len(levels) > 0 {
			m.Thinking.MinLevel, m.Thinking.MaxLevel = levels[0], levels[len(levels)-1]
		}
	}
	return m
}

func thinkingMode(provider string) string {
	if provider == "anthropic" {
		return "budget"
	}
	return "effort"
}

// thinkingLevels is all levels at which a model reasons, the least first.
var thinkingLevels = []message.ThinkingLevel{message.ThinkingMinimal, message.ThinkingLow, message.ThinkingMedium, message.ThinkingHigh, message.ThinkingXHigh}

// levelsOf returns the levels that a model has, the least first.
func levelsOf(info model.Info) []message.ThinkingLevel {
	var levels []message.ThinkingLevel
	for _, level := range thinkingLevels {
		if slices.Contains(info.Thinking, model.Thinking(level)) {
			levels = append(levels, level)
		}
	}
	return levels
}
