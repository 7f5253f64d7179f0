package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// A CompactionPolicy decides when the older messages of a history are summarized, and how much of the
// history stays as it is. Many sessions use it at once, with their locks held: it must not call them.
type CompactionPolicy interface {
	// Plan returns the plan for a model with a context window of window tokens, of which answer are
	// kept free for its answer.
	Plan(window, answer int) Compaction
}

// A Compaction is the plan of a CompactionPolicy for a model.
type Compaction struct {
	Limit int  // a compaction begins beyond so many tokens of context; 0: none does because of its size
	Keep  int  // tokens of the history that stay word for word
	Never bool // none begins by itself, not even when the provider refuses a request as too long

	// Drop is the part of the context that results of tools before the kept part must have so that
	// they are dropped, in place of a compaction before a step; 0: they are not. They are
	// dropped, too, where compactions have failed several times.
	Drop float64

	// AfterTurn compares the context with Limit when the model has given its last answer, and not
	// before each step: what the provider counted then is the size.
	AfterTurn bool
	// Continue is a UserMessage ByEngine that the model gets after a compaction AfterTurn, and the turn
	// goes on; "": it ends. It ends, too, where that did not help: when the context is still too full, or
	// the model ran no tool since the last such message.
	Continue     string
	ContinueSent func(now time.Time) jsontext.Value // UserMessage.Sent of it; may be nil
}

// WindowShares is a CompactionPolicy of parts of the model's context window.
type WindowShares struct {
	At   float64 // Limit as a part of what is not kept free; 0: none
	Keep float64
	Drop float64
}

// DefaultCompaction is the policy of sessions that have none of their own.
var DefaultCompaction = WindowShares{At: 0.85, Keep: 0.2, Drop: 0.4}

// Plan implements CompactionPolicy.
func (w WindowShares) Plan(window, answer int) Compaction {
	plan := Compaction{Keep: int(w.Keep * float64(window)), Drop: w.Drop}
	if w.At > 0 && window > answer {
		plan.Limit = max(1, int(w.At*float64(window-answer)))
	}
	return plan
}

// compaction returns the plan for a model. The caller holds the session's lock.
func (s *Session) compaction(info model.Info) Compaction {
	plan := s.opts.Compact.Plan(info.ContextWindow, s.maxTokens(info))
	if plan.Never {
		plan.Limit = 0
	}
	return plan
}

// compaction returns the plan for a model.
func (t *turn) compaction(m Model) Compaction {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.compaction(m.Info)
}
