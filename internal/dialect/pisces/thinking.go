package pisces

import (
	"slices"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// clamp returns the level among levels that is nearest to a level, the lesser of two. A model
// without levels does not reason.
func clamp(level message.ThinkingLevel, levels []message.ThinkingLevel) message.ThinkingLevel {
	at := slices.Index(thinkingLevels, level)
	if at < 0 || len(levels) == 0 {
		return message.ThinkingOff
	}
	return slices.MinFunc(levels, func(a, b message.ThinkingLevel) int { return distance(a, at) - distance(b, at) })
}

func distance(level message.ThinkingLevel, at int) int {
	d := slices.Index(thinkingLevels, level) - at
	return max(d, -d)
}

// setThinking chooses a level, as far as the model has it (set_thinking_level).
func (c *conn) setThinking(level message.ThinkingLevel) error {
	info, _ := c.cfg.Host.ModelInfo(c.modelName())
	level = clamp(level, levelsOf(info))
	c.cfg.Settings.choose(settingThinking, string(level))
	return c.session.client.Change(func(s *event.Settings) { s.Thinking = model.Thinking(level) })
}

// thinkingOf is setThinking for a session alone.
func (c *conn) thinkingOf(s *session, level message.ThinkingLevel) error {
	info, _ := c.cfg.Host.ModelInfo(s.eng.State().Settings.Model)
	return s.client.Change(func(set *event.Settings) { set.Thinking = model.Thinking(clamp(level, levelsOf(info))) })
}

// cycleThinking chooses the level after the present one; nil: the model does not reason
// (cycle_thinking_level).
func (c *conn) cycleThinking() (any, error) {
	info, _ := c.cfg.Host.ModelInfo(c.modelName())
	levels := levelsOf(info)
	if len(levels) == 0 {
		return nil, nil
	}
	levels = append([]message.ThinkingLevel{message.ThinkingOff}, levels...)
	now := message.ThinkingLevel(c.session.eng.State().Settings.Thinking)
	next := levels[(slices.Index(levels, now)+1)%len(levels)]
	return CycledThinkingLevel{next}, c.setThinking(next)
}
