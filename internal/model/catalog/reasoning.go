package catalog

import (
	"regexp"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// named holds the names of families of models that take a thinking level, and of their members
// that do not.
var named = lazy.Value[struct{ reasons, not *regexp.Regexp }]{New: func() (patterns struct{ reasons, not *regexp.Regexp }) {
	patterns.reasons = regexp.MustCompile(`^o[134](-|$)|^gpt-([5-9]|oss)(-|$)|^codex-|` +
		`claude-(3-7|[4-9]|[a-z]+-[4-9])(-|$)|^gemini-(2-5|[3-9])(-|$)|^grok-3-mini|(^|-)(thinking|reasoning|reasoner)(-|$)`)
	patterns.not = regexp.MustCompile(`(^|-)(chat|image|audio|tts|embedding|non-reasoning|nothink|no-thinking)(-|$)`)
	return patterns
}}

// levelsOf returns the thinking levels of a model outside the catalogue, as its name suggests
// them; nil: nothing suggests that it takes any. Servers refuse every request that has a level
// for a model without.
func levelsOf(id string) []model.Thinking {
	name := plainID(id)
	if !named.Get().reasons.MatchString(name) || named.Get().not.MatchString(name) {
		return nil
	}
	return []model.Thinking{model.Low, model.Medium, model.High}
}
