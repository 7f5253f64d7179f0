package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A turn is everything one accepted prompt causes. Its goroutine runs from begin to end
// and is the only one that appends the turn's records, except for answers.
type turn struct {
	s        *Session
	id       event.TurnID
	slot     *slot
	env      *tool.Env
	model    string // as Settings.Model has it: what changes meanwhile counts from the next turn on
	thinking model.Thinking
	tuning   Tuning
	rounds   int    // tool rounds run
	head     uint64 // the last message before the turn; 0: there was none

	final     bool // a result was the last word; the session's lock guards it
	continued bool // told to go on behind a compaction, and no tool was asked for since
}

// run works until the turn is over and then ends it, exactly once, whatever happened.
func (t *turn) run(ctx context.Context) {
	reason, failure := event.TurnFailed, &event.Failing{Kind: FailInternal, Message: "the turn ended without a reason"}
	defer func() {
		if p := recover(); p != nil {
			t.s.host.cfg.Log.Error("panic in turn", "session", t.s.id, "turn", t.id, "panic", p, "stack", string(debug.Stack()))
			reason, failure = event.TurnFailed, &event.Failing{Kind: FailInternal, Message: fmt.Sprintf("internal error: %v", p)}
		}
		t.end(reason, failure)
	}()
	reason, failure = t.work(ctx)
}

// work loops over steps until the model has no more wishes.
func (t *turn) work(ctx context.Context) (event.TurnReason, *event.Failing) {
	for {
		t.deliver(false)
		answer, err := t.step(ctx)
		switch {
		case ctx.Err() != nil:
			return event.TurnInterrupted, nil
		case errors.Is(err, errStepLimit):
			return event.TurnStepLimit, nil
		case err != nil:
			return event.TurnFailed, failing(err)
		case t.isFinal():
			return event.TurnCompleted, nil
		case len(answer.Calls()) > 0:
			t.continued = false
			continue
		}
		if t.deliver(true) || t.compactAfter(ctx, answer) {
			continue
		}
		if ctx.Err() != nil {
			return event.TurnInterrupted, nil
		}
		return endReason(answer.stop), nil
	}
}

func (t *turn) isFinal() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.final
}

func endReason(stop model.Stop) event.TurnReason {
	switch stop {
	case model.StopTokens:
		return event.TurnMaxTokens
	case model.StopRefused:
		return event.TurnRefused
	}
	return event.TurnCompleted
}

// end frees the slot, closes what a panic left open, and records the end.
func (t *turn) end(reason event.TurnReason, failure *event.Failing) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	t.slot.cancel(nil)
	s.slot = nil
	defer close(t.slot.done)
	for _, e := range s.fold.unclosed(event.Interrupted) {
		s.append(t.id, e)
	}
	clear(s.approvals)
	clear(s.questions)
	if st := s.fold.state; s.opts.SteerRunning && len(st.Steering) > 0 {
		s.append(t.id, event.QueueChanged{FollowUps: st.FollowUps})
	}
	s.settle(t.id, s.turnEnd(reason, failure))
	if reason == event.TurnInterrupted && s.opts.ForgetInterrupted {
		if _, err := s.moveHead(t.head); err != nil {
			s.host.cfg.Log.Error("an interrupted turn stays in the history", "session", s.id, "turn", t.id, "error", err)
		}
	}
	s.showLocked("", event.StatusChanged{Status: event.Idle})
	s.beginQueued()
}

func (s *Session) turnEnd(reason event.TurnReason, failure *event.Failing) event.TurnEnded {
	open := s.fold.open
	mutations := open.mutations
	if mutations == nil {
		mutations = []event.Mutation{}
	}
	return event.TurnEnded{
		Reason: reason, Failure: failure, Usage: open.usage, Cost: open.cost,
		Steps: open.steps, Rounds: open.rounds, Mutations: mutations, Context: s.contextTokens(), Window: s.window,
	}
}

// FailInternal is the kind of a failure that no provider caused.
const FailInternal = "internal"

func failing(err error) *event.Failing {
	if p, ok := errors.AsType[*model.Error](err); ok {
		return &event.Failing{Kind: string(p.Kind), Message: p.Error(), Provider: p.Provider, Code: p.Code, Status: p.Status}
	}
	return &event.Failing{Kind: FailInternal, Message: err.Error()}
}

func (t *turn) show(e event.Event) { t.s.show(t.id, e) }

func (t *turn) append(events ...event.Event) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.append(t.id, events...)
}
