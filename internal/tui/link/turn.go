package link

import (
	"context"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

// Prompt begins a turn. An error of kind busy: one runs; of kind budget: the budget is used up.
func (l *Link) Prompt(ctx context.Context, session string, p client.Prompt) error {
	_, err := l.c.Session(session).Prompt(ctx, p)
	return err
}

// Steer adds to the running turn. An error of kind idle: none runs.
func (l *Link) Steer(ctx context.Context, session string, p client.Prompt) error {
	return l.c.Session(session).Steer(ctx, p)
}

// FollowUp is a prompt for after the running turn. An error of kind idle: none runs.
func (l *Link) FollowUp(ctx context.Context, session string, p client.Prompt) error {
	return l.c.Session(session).FollowUp(ctx, p)
}

// The queues of a session, for ClearQueue.
const (
	Steering  = "steering"
	FollowUps = "follow_ups"
)

// ClearQueue empties a queue and returns what was in it, oldest first; another FollowUp puts a part of it back.
func (l *Link) ClearQueue(ctx context.Context, session, which string) ([]record.Queued, error) {
	p := of(session)
	p["which"] = which
	var result struct {
		Steering  []record.Queued `json:"steering"`
		FollowUps []record.Queued `json:"follow_ups"`
	}
	err := l.call(ctx, "queue/clear", p, &result)
	return append(result.Steering, result.FollowUps...), err
}

// Interrupt ends the running turn and the user's command. False: nothing ran.
func (l *Link) Interrupt(ctx context.Context, session string) (bool, error) {
	return l.c.Session(session).Interrupt(ctx, "")
}

// How long an approval counts, for Allow.
const (
	Once        = ""
	ForSession  = "session"
	InWorkspace = "workspace" // as a grant for always; only an owner may
)

// Allow allows the call of an approval. An error of kind answered: another client was first; of kind invalid_params with
// the member remember: no grant covers the call exactly, and the approval still waits.
func (l *Link) Allow(ctx context.Context, session, approval, remember string) error {
	p := of(session)
	p["approval"], p["allow"] = approval, true
	if remember != Once {
		p["remember"] = remember
	}
	return l.call(ctx, "approval/answer", p, nil)
}

// Deny denies the call of an approval; reason is for the model, and may be "".
func (l *Link) Deny(ctx context.Context, session, approval, reason string) error {
	return l.c.Session(session).Deny(ctx, approval, reason)
}

// Answer answers questions: for each the chosen labels or one text; nil declines.
func (l *Link) Answer(ctx context.Context, session, question string, answers [][]string) error {
	return l.c.Session(session).Answer(ctx, question, answers)
}

// Run runs a command of the user; id is the caller's own. Records have its output and its end.
func (l *Link) Run(ctx context.Context, session, id, command string) error {
	p := of(session)
	p["id"], p["command"] = id, command
	return l.call(ctx, "command/run", p, nil)
}
