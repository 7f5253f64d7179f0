package offline

import (
	"context"
	"iter"
	"sync/atomic"

	"parley.dev/parley/internal/model"
)

// Name is the provider's name, as in offline/demo and offline/script.
const Name = "offline"

// theEnd is the answer to every request after the last one of a script.
const theEnd = "The offline script has ended: it holds no further answer."

// A Player plays a script: each model call gets the next answer, for all callers together. It
// is safe for concurrent use. A failed answer counts like any other, so that a retry gets the next
// one; an answer for other requests is skipped, and comes no more.
type Player struct {
	script *Script
	taken  atomic.Int64
}

// Provider returns a Player at the beginning of s; each has its own position.
func (s *Script) Provider() *Player { return &Player{script: s} }

// Stream streams the next answer of the script.
func (p *Player) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return speak(ctx, req, func(s *speech) error {
		for n := p.taken.Add(1) - 1; n < int64(len(p.script.answers)); n = p.taken.Add(1) - 1 {
			if a := p.script.answers[n]; a.when == nil || a.when.MatchString(lastHeard(req)) {
				return a.give(s)
			}
		}
		if err := s.say(model.TextDelta, theEnd); err != nil {
			return err
		}
		return s.done(model.StopEnd, nil)
	})
}

func (a *answer) give(s *speech) error {
	for _, step := range a.steps {
		if err := step(s); err != nil {
			return err
		}
	}
	stop := a.stop
	switch {
	case stop != "":
	case a.calls:
		stop = model.StopTools
	default:
		stop = model.StopEnd
	}
	return s.done(stop, a.usage)
}
