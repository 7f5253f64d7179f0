package catalog

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"

	"parley.dev/parley/internal/model"
)

// makers are the providers whose models others resell under the same names.
var makers = map[string]bool{
	"anthropic": true, "openai": true, "gemini": true, "xai": true, "deepseek": true, "zai": true, "moonshot": true, "minimax": true,
}

// defaults are where we prefer another model than the data does, which lags behind.
var defaults = map[string]string{
	"anthropic":  "claude-sonnet-5",
	"copilot":    "claude-sonnet-5",
	"openrouter": "anthropic/claude-sonnet-5",
	"vercel":     "anthropic/claude-sonnet-5",
}

func infoOf(p catwalk.Provider, m catwalk.Model) model.Info {
	return model.Info{
		ID:            m.ID,
		Provider:      string(p.ID),
		Name:          m.Name,
		ContextWindow: int(m.ContextWindow),
		MaxOutput:     int(m.DefaultMaxTokens),
		Price:         priceOf(m),
		Thinking:      thinkingOf(m),
		Images:        m.SupportsImages,
		Known:         true,
	}
}

// priceOf reads the two cached prices of the data, which are not the same everywhere:
// mostly "in" is writing to the cache and "out" reading from it, but some entries have
// the reading price in "in", or the output price in "out". Reading is what is cheaper
// than input. What is not told costs as much as input.
func priceOf(m catwalk.Model) model.Price {
	p := model.Price{
		Input: m.CostPer1MIn, Output: m.CostPer1MOut,
		CacheRead: m.CostPer1MIn, CacheWrite: m.CostPer1MIn,
	}
	for _, cached := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		if cached > 0 {
			p.CacheRead = min(p.CacheRead, cached)
		}
	}
	p.CacheWrite = max(p.CacheWrite, m.CostPer1MInCached)
	return p
}

// levels are the data's words for thinking levels, in order.
var levels = []struct {
	word  string
	level model.Thinking
}{
	{"minimal", model.Minimal},
	{"low", model.Low},
	{"medium", model.Medium},
	{"high", model.High},
	{"xhigh", model.XHigh},
	{"max", model.XHigh},
}

// thinkingOf is the levels of m. A model that reasons and names none is one that takes a
// budget, or whose effort the data does not know: it gets the three usual ones.
func thinkingOf(m catwalk.Model) []model.Thinking {
	if !m.CanReason {
		return nil
	}
	var out []model.Thinking
	for _, l := range levels {
		if slices.Contains(m.ReasoningLevels, l.word) && !slices.Contains(out, l.level) {
			out = append(out, l.level)
		}
	}
	if len(out) == 0 {
		return []model.Thinking{model.Low, model.Medium, model.High}
	}
	return out
}

// dated is a date at the end of an id, or "latest".
var dated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-(20\d{6}|20\d\d-\d\d-\d\d|latest)$`)
})

// plainID is id without vendor prefix, date and capitals, its versions spelled with dashes.
func plainID(id string) string {
	id = strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	return strings.ReplaceAll(dated().ReplaceAllString(id, ""), ".", "-")
}
