package engine

import (
	"context"
	"errors"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file is when a turn compacts by itself; compact.go is how.

// limit is the tokens of context that a compaction begins beyond; 0: none begins by itself.
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

// keep is the tokens that stay word for word.
func (c Compaction) keep(window int) int {
	if c.KeepTokens > 0 {
		return c.KeepTokens
	}
	return int(c.Keep * float64(window))
}

// full says whether the context has passed the limit that holds now.
func (s *Session) full(m Model) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := s.opts.Compact.limit(m.Info.ContextWindow, s.maxTokens(m.Info))
	return limit > 0 && s.contextTokens() > limit
}

// compactIfFull compacts before a step.
func (t *turn) compactIfFull(ctx context.Context, m Model) {
	if !t.s.Manners().Compact.AfterTurn && t.s.full(m) {
		t.compactNow(ctx, m, event.CompactionStarted{Reason: event.CompactThreshold})
	}
}

// compactOverflow compacts because a call failed, and says whether it may be made again.
func (t *turn) compactOverflow(ctx context.Context, m Model, failed error) bool {
	if t.s.Manners().Compact.Never {
		return false
	}
	return t.compactNow(ctx, m, event.CompactionStarted{Reason: event.CompactOverflow, Failure: failing(failed)})
}

// compactAfter compacts when the turn would end, and says whether it goes on instead: with
// what was said meanwhile, or as Compaction.Continue says.
func (t *turn) compactAfter(ctx context.Context, answer stepAnswer) bool {
	o := t.s.Manners().Compact
	m, err := t.resolve()
	if err != nil || !o.AfterTurn || answer.stop == model.StopRefused || !t.s.full(m) {
		return false
	}
	done := t.compactNow(ctx, m, event.CompactionStarted{Reason: event.CompactThreshold})
	switch {
	case ctx.Err() != nil:
		return false
	case done && o.Continue != "" && !t.continued && !t.s.full(m):
		t.continued = true
		t.goOn(o)
		return true
	}
	return t.deliver(true)
}

// goOn tells the model to go on.
func (t *turn) goOn(o Compaction) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	e := event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: []model.Block{model.TextBlock(o.Continue)}}
	if o.ContinueSent != nil {
		e.Sent = o.ContinueSent(s.host.cfg.Now())
	}
	s.append(t.id, e)
}

// compactNow says whether the history is smaller now. A failure is a Notice: the turn goes
// on. That there is nothing to do at the end of a turn is not worth one.
func (t *turn) compactNow(ctx context.Context, m Model, started event.CompactionStarted) bool {
	if t.s.budget.Err() != nil {
		return false // the turn is about to end
	}
	_, err := t.s.compact(ctx, t.id, m, started, "")
	switch {
	case err == nil:
	case errors.Is(err, ErrNothingToCompact) && t.s.Manners().Compact.AfterTurn && started.Reason == event.CompactThreshold:
	case ctx.Err() != nil || errors.Is(err, ErrInterrupted):
		t.append(event.Notice{Level: event.Info, Code: NoticeCompactionInterrupted, Text: "the compaction was interrupted"})
	default:
		t.append(event.Notice{Level: event.Warning, Code: NoticeCompactionFailed, Text: err.Error()})
	}
	return err == nil
}
