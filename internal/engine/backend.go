package engine

import (
	"context"
	"errors"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file contains turns that a back end runs in place of the loop of this package, and what prompts its agent gets. Which agent
// runs them is in backend_agent.go, what it is opened with in backend_open.go, and how many there are in backend_pool.go. What the
// agent reports becomes records in backend_turn.go, backend_message.go and backend_call.go.

// FailBackend is the kind of failures of a back end; Failure.Code is a backend.Code.
const FailBackend = "backend"

// delegate has the agent of a back end work until nothing more waits for it, or something ends the turn.
func (t *turn) delegate(ctx context.Context, name string) (event.TurnReason, *event.Failure) {
	asking, stop := t.watchAgent(ctx)
	defer stop()
	defer t.s.restAgent()
	use := agentUse{turn: t.id, backend: name, env: t.env, head: t.head}
	next := []event.Queued{{ID: t.slot.prompt, Blocks: t.blocks, Notes: t.notes, Instructions: t.tuning.Instructions}}
	if t.agentHead != 0 {
		next, use.head = t.unsent(), t.agentHead
	}
	for reason := event.TurnCompleted; ; {
		if len(next) == 0 {
			return reason, nil
		}
		if err := t.s.opts.Budget.Err(); err != nil {
			return event.TurnBudget, failing(err)
		}
		t.switchModel()
		use.model, use.thinking = t.model, t.thinking
		var err error
		reason, err = t.delegatePrompt(asking, &use, next)
		switch {
		case ctx.Err() != nil:
			return event.TurnInterrupted, nil
		case t.isFinal() && (err != nil || reason == event.TurnInterrupted):
			return event.TurnCompleted, nil
		case asking.Err() != nil && (err != nil || reason == event.TurnInterrupted), errors.Is(err, ErrBudget):
			return event.TurnBudget, failing(t.s.opts.Budget.Err())
		case err != nil:
			return event.TurnFailed, backendFailure(err)
		}
		t.agentHead = t.s.lastNode()
		use.head = t.agentHead
		next = t.take(true)
	}
}

// unsent returns what was said to the agent since it has ended its work: by hooks that make the turn go on, or from the queue.
func (t *turn) unsent() (prompts []event.Queued) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for _, e := range t.s.fold.Entries {
		if e.Seq > t.agentHead && e.Message.Role == model.User {
			prompts = append(prompts, event.Queued{ID: t.slot.prompt, Blocks: e.Message.Blocks})
		}
	}
	return prompts
}

// lastNode returns the node that the history ends in.
func (s *Session) lastNode() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.Head()
}

// delegatePrompt has the agent work on one prompt, which what was queued becomes.
func (t *turn) delegatePrompt(ctx context.Context, use *agentUse, queued []event.Queued) (event.TurnReason, error) {
	t.showStatus(event.Thinking)
	p, err := t.s.promptOf(queued...)
	if err != nil {
		return "", err
	}
	a, earlier, err := t.s.agent(ctx, use)
	if err != nil {
		return "", err
	}
	if earlier != "" {
		p.Blocks = append([]model.Block{model.TextBlock(earlier)}, p.Blocks...)
	}
	if !a.Info().Images && hasImages(p.Blocks) {
		return "", &backend.Error{Backend: a.name, Code: backend.CodeRefused, Message: "the agent takes no images"}
	}
	d := newDelegation(t, ctx, a)
	if err := d.refuseUnpriced(); err != nil {
		return "", err
	}
	if err := d.run(ctx, p); err != nil {
		return "", err
	}
	t.append(event.BackendAnswered{Session: a.ID()})
	if d.unpaid.Load() { // the work is not done, whatever the agent has answered
		return d.reason, t.s.opts.Budget.Err()
	}
	return d.reason, nil
}

// backendFailure returns the failure of a turn for an error of a back end.
func backendFailure(err error) *event.Failure {
	if e, ok := errors.AsType[*backend.Error](err); ok {
		return &event.Failure{Kind: FailBackend, Message: e.Error(), Provider: e.Backend, Code: string(e.Code)}
	}
	return failing(err)
}
