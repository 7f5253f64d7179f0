package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

// A turn is everything one accepted prompt causes. Its goroutine runs from begin to end
// and is the only one that appends the turn's records, except for answers.
type turn struct {
	s          *Session
	id         event.TurnID
	slot       *slot
	began      time.Time
	prompted   bool // a prompt of a user is part of it; the session's lock guards it
	env        *tool.Env
	model      string // as Settings.Model has it; Options.SwitchInTurn says from when on a change counts
	thinking   model.Thinking
	tuning     Tuning
	window     int               // tokens of the model's context, where a refused request says less than is known; 0: it does not
	affordable int               // the longest answer that the account can pay, in tokens; 0: any
	shorten    bool              // texts are shortened to fit it
	trial      []session.TextRef // texts that the next request lacks, since moderation may have refused one of them
	cutAt      int               // the output limit in tokens, where it cut the last answer; 0: it did not
	// tooLong reports that a request was refused as too long.
	tooLong bool
	rounds  int    // tool rounds run
	head    uint64 // the last message before the turn; 0: there was none

	reminded   int         // times since a user said something
	objections []Violation // that wait for the end of the turn

	attended  bool // a client that can approve calls was attached when the turn began
	failed    failedCalls
	emptied   bool // the last answer was empty
	described bool // it began with a new Environment

	touched []string // files of calls whose instructions were not looked for; the session's lock guards it

	halt      context.CancelCauseFunc // interrupts the agent that works on the turn; the session's lock guards it
	final     bool                    // a result was the last word; the session's lock guards it
	continued bool                    // a Compaction.Continue was sent, and the model has called no tool since

	prompt    string         // its text, for hooks
	blocks    []model.Block  // of it, for a back end
	notes     []event.Note   // of it; so here
	agentHead uint64         // the node that the history ended in when an agent had answered; 0: none has
	sent      jsontext.Value // what came with it, for hooks
	hooked    hookedCalls    // the calls of the step that have hooks
	prolonged int            // how often hooks made the turn go on since the last prompt
	expanded  bool           // the prompt of a server that the prompt names was looked for
	forget    bool           // what belongs to the turn leaves the history
	unusable  *event.Failure // why the prompt cannot be processed; nil: it can
}

// run works until the turn is over, which a hook can delay, and then ends it: exactly once, whatever happened.
func (t *turn) run(ctx context.Context) {
	reason, failure := event.TurnFailed, &event.Failure{Kind: FailInternal, Message: "the turn ended without a reason"}
	defer func() {
		if p := recover(); p != nil {
			t.s.host.cfg.Log.Error("panic in turn", "session", t.s.id, "turn", t.id, "panic", p, "stack", string(debug.Stack()))
			reason, failure = event.TurnFailed, &event.Failure{Kind: FailInternal, Message: fmt.Sprintf("internal error: %v", p)}
		}
		t.end(endsUnsaved(ctx, reason, failure))
	}()
	if refused := t.admit(ctx); refused != nil {
		failure = refused
		return
	}
	name := t.s.State().Settings.Backend // a change counts from the next turn on
	if name == "" {
		_ = t.s.setAgent(nil) // of before; it returns errors of agents that are set only
	}
	for {
		if name != "" {
			reason, failure = t.delegate(ctx, name)
		} else {
			reason, failure = t.work(ctx)
		}
		if reason == event.TurnInterrupted || !t.hasHooks(event.AtTurnEnd) {
			return
		}
		again := t.runEndHooks(ctx, reason)
		if ctx.Err() != nil {
			reason, failure = event.TurnInterrupted, nil
			return
		}
		if !again {
			return
		}
	}
}

// admit returns why the prompt of the turn cannot be processed, or why a hook refuses it; nil: the model is
// asked.
func (t *turn) admit(ctx context.Context) *event.Failure {
	if t.unusable != nil {
		t.forget = true
		return t.unusable
	}
	t.startSession(ctx)
	return t.runPromptHooks(ctx)
}

// work loops over steps until the model asks for no more tools, or something ends the turn.
func (t *turn) work(ctx context.Context) (event.TurnReason, *event.Failure) {
	asking, stop := t.watchBudget(ctx)
	defer stop()
	t.noteChanges(ctx)
	for {
		if err := t.s.opts.Budget.Err(); err != nil {
			return event.TurnBudget, failing(err)
		}
		t.deliver(false)
		t.notePermissions()
		t.noteBackground()
		t.noteServerPrompt(asking)
		answer, err := t.step(ctx, asking)
		switch {
		case ctx.Err() != nil:
			return event.TurnInterrupted, nil
		case err != nil && (asking.Err() != nil || errors.Is(err, ErrBudget)):
			return event.TurnBudget, failing(t.s.opts.Budget.Err())
		case errors.Is(err, errViolated):
			continue
		case errors.Is(err, errStepLimit):
			return event.TurnStepLimit, nil
		case errors.Is(err, errLoop):
			return event.TurnFailed, &event.Failure{Kind: FailLoop, Message: errLoop.Error()}
		case err != nil:
			return event.TurnFailed, failing(err)
		case t.stopsAfter(answer):
			return endReason(answer.stop), nil
		case t.isFinal():
			return event.TurnCompleted, nil
		case len(answer.Calls()) > 0:
			t.continued = false
			continue
		}
		again, failure := t.retryEmpty(answer)
		switch {
		case again:
			continue
		case failure != nil:
			return event.TurnFailed, failure
		}
		if t.object() || t.deliver(true) || t.compactAfter(asking, answer) || t.remind(ctx, answer) {
			continue
		}
		if ctx.Err() != nil {
			return event.TurnInterrupted, nil
		}
		if err := t.s.opts.Budget.Err(); err != nil && t.awaited() {
			return event.TurnBudget, failing(err)
		}
		return endReason(answer.stop), nil
	}
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
func (t *turn) end(reason event.TurnReason, failure *event.Failure) {
	s := t.s
	s.mu.Lock()
	defer s.unlock()
	t.slot.cancel(nil)
	s.slot = nil
	s.setBusy() // before anything says that the turn is over
	defer close(t.slot.done)
	for _, e := range s.fold.Unclosed(event.Interrupted) {
		s.log.Append(t.id, e)
	}
	clear(s.clients.approvals)
	clear(s.clients.questions)
	s.clients.grants.EndTurn()
	t.dropWithdrawn()
	end := s.turnEnd(reason, failure)
	if reason == event.TurnInterrupted {
		end.Client = t.slot.interrupted
	}
	t.ruleEnd(end)
	s.log.Settle(t.id, end)
	s.showUnsavedEnd(t.id, end)
	if t.forget || !s.keepsTurn(reason) {
		if _, err := s.moveHead(t.head); err != nil {
			s.host.cfg.Log.Error("a turn that is to be forgotten stays in the history", "session", s.id, "turn", t.id, "error", err)
		}
	}
	s.setStatus("", event.Idle)
	s.recordStartedCommands()
	s.beginAfter(t.slot, reason == event.TurnFailed || reason == event.TurnBudget)
}

// The kinds of failures that no provider caused.
const (
	FailInternal = "internal"
	FailHook     = "hook"    // a hook refused the prompt
	FailBudget   = "budget"  // a BudgetError
	FailLoop     = "loop"    // the same call failed again and again
	FailPrompt   = "prompt"  // the prompt cannot be processed; see Prompt.Failure
	FailMoved    = "moved"   // another process has taken the session over
	FailUnsaved  = "unsaved" // the journal cannot be written
)
