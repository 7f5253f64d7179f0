package engine

import (
	"context"
	"errors"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file decides when a turn compacts by itself; compact.go is how.

// A compactionTries stores the result of the last automatic compaction.
type compactionTries struct {
	failures int  // in a row
	waits    bool // the next one waits until the context has grown
	from     int  // the fewest tokens of context since then, as far as they were compared
}

// compactionGrowth is the part of the window by which the context has to grow before a compaction is
// tried again.
const compactionGrowth = 0.05

// compactionFailures is how many failures in a row make the session drop old results instead.
const compactionFailures = 3

// full reports whether the context has passed the limit that holds now, and has grown since the last
// compaction.
func (s *Session) full(m Model) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, grown := s.compaction(m.Info).Limit, s.grown(m)
	return limit > 0 && s.contextTokens() > limit && grown
}

// grown reports whether the context has grown enough since the last compaction for another one. It can have become smaller
// meanwhile: what a provider counts is often less than the estimate that the compaction left.
func (s *Session) grown(m Model) bool {
	least, tries := int(compactionGrowth*float64(m.Info.ContextWindow)), &s.context.compactions
	tries.from = min(tries.from, s.contextTokens())
	return !tries.waits || s.contextTokens() >= tries.from+least
}

// makeRoom makes the history smaller before a step, where it has to be: by dropping old results
// where that frees much, by a compaction, and by cutting the results of the last step.
func (t *turn) makeRoom(ctx context.Context, m Model) {
	t.clipStep(m, false)
	o := t.compaction(m)
	switch {
	case o.Never || o.AfterTurn:
	case t.s.full(m):
		if o.Drop > 0 && t.dropOldResults(m, o.Drop) {
			break
		}
		if t.compactNow(ctx, m, event.CompactionStarted{Reason: event.CompactThreshold}) && t.s.full(m) {
			t.s.compactionEnded(ErrNothingToCompact) // another one would not help
		}
	case t.s.overflows(m):
		t.dropOldResults(m, 0)
	}
	t.clipStep(m, true)
}

// overflows reports whether compactions have failed, and the next request does not fit into the window.
func (s *Session) overflows(m Model) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.context.compactions.failures > 0 && s.contextTokens() > m.Info.ContextWindow-s.maxTokens(m.Info)
}

// compactAfter compacts when the turn would end, and reports whether it goes on instead: with
// what was said meanwhile, or as Compaction.Continue says.
func (t *turn) compactAfter(ctx context.Context, answer stepAnswer) bool {
	m, err := t.resolve()
	if err != nil {
		return false
	}
	o := t.compaction(m)
	if !o.AfterTurn || answer.stop == model.StopRefused || !t.s.full(m) {
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

// goOn asks the model to continue.
func (t *turn) goOn(o Compaction) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	e := event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: []model.Block{model.TextBlock(o.Continue)}}
	if o.ContinueSent != nil {
		e.Sent = o.ContinueSent(s.host.cfg.Now())
	}
	s.log.Append(t.id, e)
}

// compactNow reports whether the history is smaller now. A failure is a Notice: the turn goes
// on. That there is nothing to do at the end of a turn is not worth one.
func (t *turn) compactNow(ctx context.Context, m Model, started event.CompactionStarted) bool {
	if t.s.opts.Budget.Err() != nil {
		return false // the turn is about to end
	}
	_, err := t.s.compact(ctx, t.id, m, started, "")
	failures := t.s.compactionEnded(err)
	switch {
	case err == nil:
		t.announceStart(ctx, startedCompacted)
	case errors.Is(err, ErrNothingToCompact) && t.compaction(m).AfterTurn && started.Reason == event.CompactThreshold:
	case ctx.Err() != nil || errors.Is(err, ErrInterrupted):
		t.append(event.Notice{Level: event.Info, Code: NoticeCompactionInterrupted, Text: "the compaction was interrupted"})
	default:
		t.append(event.Notice{Level: event.Warning, Code: NoticeCompactionFailed, Text: err.Error()})
		if failures >= compactionFailures {
			return t.dropOldResults(m, 0)
		}
	}
	return err == nil
}

// compactionEnded remembers how a compaction ended, and returns how many have failed in a row.
func (s *Session) compactionEnded(err error) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	tries := &s.context.compactions
	switch {
	case err == nil:
		*tries = compactionTries{}
		return 0
	case errors.Is(err, ErrInterrupted) || errors.Is(err, ErrBudget): // the next one may be allowed
		return 0
	case !errors.Is(err, ErrNothingToCompact):
		tries.failures++
	}
	tries.waits, tries.from = true, s.contextTokens()
	return tries.failures
}
