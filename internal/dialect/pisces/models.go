package pisces

import (
	"cmp"
	"slices"

	"parley.dev/parley/internal/engine"
)

// modelOf is a model as clients know it. Where it is asked is nobody's business.
func modelOf(info engine.ModelInfo) Model {
	m := Model{
		ID: info.ID, Name: cmp.Or(info.Name, info.ID), API: apiOf(info.Provider), Provider: info.Provider,
		Reasoning: len(info.Thinking) > 0, Input: []string{contentText},
		Cost:          ModelCost(info.Price),
		ContextWindow: info.ContextWindow, MaxTokens: info.MaxOutput,
	}
	if info.Images {
		m.Input = append(m.Input, contentImage)
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
var thinkingLevels = []ThinkingLevel{ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh}

// levelsOf is the levels that a model has, the least first.
func levelsOf(info engine.ModelInfo) []ThinkingLevel {
	var levels []ThinkingLevel
	for _, level := range thinkingLevels {
		if slices.Contains(info.Thinking, engine.Thinking(level)) {
			levels = append(levels, level)
		}
	}
	return levels
}
