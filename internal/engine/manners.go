package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Manners are the options that can change while a session is open. A change counts from the
// next time that they are asked for: the next look at a queue, failed call, or threshold.
type Manners struct {
	SteerAt       SteerAt
	TakeSteers    QueueMode
	TakeFollowUps QueueMode   // of FollowUpsInTurn; a turn of its own has one
	Retry         RetryPolicy // nil: a failed call is final
	Compact       Compaction
	Todos         Todos
}

// SteerAt is when a steer reaches the model.
type SteerAt uint8

// The moments.
const (
	SteerAfterStep SteerAt = iota // when all calls of the step have run
	// SteerAfterCall: after the call that ends next. Those beside it are interrupted, those
	// behind it are skipped; a call that runs alone is left to its end.
	SteerAfterCall
)

// QueueMode is how much of a queue is taken at once.
type QueueMode uint8

// The modes.
const (
	TakeAll QueueMode = iota
	TakeOne
)

// Compaction is when and how much of a history is summarised. What starts one by itself is
// the first of ThresholdTokens, Reserve and At that is set.
type Compaction struct {
	ThresholdTokens int     // of context
	Reserve         int     // tokens that stay free, and at least 15 % of the window; at most half of it
	At              float64 // part of the usable window
	Never           bool    // none begins by itself, not even when the provider refuses a request as too long

	Keep       float64 // part of the window that stays word for word
	KeepTokens int     // in place of Keep, and at most a quarter of the window; 0: Keep

	// Drop is the part of the context that results of tools before the kept part must have so that
	// they are dropped, in place of a compaction before a step; 0: they are not. They are
	// dropped, too, where compactions have failed several times.
	Drop float64

	// AfterTurn looks at the threshold when the model has given its last answer, and not
	// before each step: what the provider counted then is the size.
	AfterTurn bool
	// Continue, if set, is told to the model behind a compaction AfterTurn, as a UserMessage
	// ByEngine, and the turn goes on. It does not when that helped nothing: when the context
	// is still too full, or the model ran no tool since it was told the last time.
	Continue     string
	ContinueSent func(now time.Time) jsontext.Value // UserMessage.Sent of it; may be nil
}

// Adjust edits the manners. ErrClosed.
func (s *Session) Adjust(edit func(*Manners)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	edit(&s.opts.Manners)
	return nil
}

// Manners returns the manners as they are now.
func (s *Session) Manners() Manners {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Manners
}

// limit returns the tokens of context that a compaction begins beyond; 0: none begins by itself.
func (c Compaction) limit(window, maxTokens int) int {
	switch {
	case c.Never:
		return 0
	case c.ThresholdTokens > 0:
		return c.ThresholdTokens
	case c.Reserve > 0:
		return window - max(window*15/100, min(c.Reserve, window/2))
	}
	if c.At <= 0 || window <= maxTokens {
		return 0
	}
	return max(1, int(c.At*float64(window-maxTokens)))
}

// keep returns the tokens that stay word for word. A number of tokens is at most a quarter of the window.
func (c Compaction) keep(window int) int {
	if c.KeepTokens > 0 {
		return min(c.KeepTokens, window/4)
	}
	return int(c.Keep * float64(window))
}
