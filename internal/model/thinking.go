package model

import "slices"

// Thinking is how much reasoning to ask for.
type Thinking string

// The thinking levels; a provider maps those it does not have to the nearest.
const (
	Off     Thinking = "off"
	Minimal Thinking = "minimal"
	Low     Thinking = "low"
	Medium  Thinking = "medium"
	High    Thinking = "high"
	XHigh   Thinking = "xhigh"
)

// levels holds the levels at which a model reasons, the lowest first.
var levels = []Thinking{Minimal, Low, Medium, High, XHigh}

// Levels returns the levels at which a model may reason, the lowest first.
func Levels() []Thinking { return slices.Clone(levels) }

// Level returns the thinking level to request of the model where t is wanted: t if the model has
// it, else the nearest that it has, the lower of two. It returns "", which is the model's own
// default, for "" and for a model without levels: endpoints refuse even Off for such a one.
func (i Info) Level(t Thinking) Thinking {
	at := slices.Index(levels, t)
	switch {
	case len(i.Thinking) == 0:
		return ""
	case t == "" || slices.Contains(i.Thinking, t):
		return t
	case at < 0:
		return Off
	}
	best := Off
	for n, level := range levels {
		if slices.Contains(i.Thinking, level) && (best == Off || distance(n, at) < distance(slices.Index(levels, best), at)) {
			best = level
		}
	}
	return best
}

// Lowest returns the lowest level at which the model reasons; "" for one that does not.
func (i Info) Lowest() Thinking {
	for _, level := range levels {
		if slices.Contains(i.Thinking, level) {
			return level
		}
	}
	return ""
}

func distance(a, b int) int { return max(a-b, b-a) }
