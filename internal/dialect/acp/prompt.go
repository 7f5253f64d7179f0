package acp

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file begins turns. ending.go answers their prompts.

// A prompt is a request of the client whose turn has not ended.
type prompt struct {
	id        jsonrpc.ID
	cancelled bool // it is answered as cancelled, however its turn ends
}

// prompt begins a turn, whose end is the answer (session/prompt). While a turn runs it waits for one of its own.
func (c *conn) prompt(ctx context.Context, id jsonrpc.ID, p *PromptParams) {
	s, prompt, err := c.findWithPrompt(p.SessionID, p.Prompt)
	if err != nil {
		c.fail(id, err)
		return
	}
	busy, jobs := s.jobs.pending()
	if len(s.eng.State().FollowUps)+jobs >= queueBound {
		c.fail(id, errQueueFull)
		return
	}
	if s.eng.State().Settings.Model == "" {
		prompt.Tuning.ModelName = c.cfg.Flags.Model
	}
	accepted := c.edition.accepted(s, id, acceptedPrompt{prompt.ID, p.Prompt})
	command, args := s.commandIn(p.Prompt)
	switch {
	case command != nil && command.do != nil:
		s.pump.Reply(accepted...)
		s.addJob(s.newJob(id, func(ctx context.Context) { command.do(ctx, s, id, args) }))
		return
	case command != nil:
		notes, err := command.notes()
		if err != nil {
			c.failIn(s.id, id, err)
			return
		}
		prompt.Notes = append(prompt.Notes, notes...)
	}
	if busy {
		s.pump.Reply(accepted...)
		s.addJob(s.newJob(id, func(ctx context.Context) { s.begin(ctx, id, prompt, nil) }))
		return
	}
	s.begin(ctx, id, prompt, accepted)
}

// findWithPrompt returns the session of a request with a prompt, and the prompt as the model of the session reads it.
func (c *conn) findWithPrompt(id string, prompt []ContentBlock) (*session, engine.Prompt, error) {
	s, err := c.find(id)
	if err != nil {
		return nil, engine.Prompt{}, err
	}
	p, err := s.promptOf(prompt)
	return s, p, err
}

// promptOf returns a prompt as the model of the session reads it.
func (s *session) promptOf(prompt []ContentBlock) (engine.Prompt, error) {
	p, err := contentOf(prompt)
	if err != nil {
		return p, err
	}
	p.ID = event.PromptID(s.conn.cfg.NewID())
	name := s.eng.State().Settings.Model
	if info := s.conn.models.info(name); info.Known && !info.Images && hasImage(p.Blocks) {
		return p, invalidMember("prompt", "has an image, which the model "+abridged(name)+" cannot see")
	}
	return p, nil
}

// begin begins the turn of a prompt, or lets it wait for those before it, unless ctx has ended. It holds the lock all the time,
// so that the prompt is cancelled before it or after it. Accepted are the lines that precede the turn; nil: there are none.
func (s *session) begin(ctx context.Context, id jsonrpc.ID, p engine.Prompt, accepted [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		s.answerJob(id, s.cancelledLine(id))
		return
	}
	s.prompts[p.ID] = &prompt{id: id}
	s.conn.running.begin(id, func() { s.cancelPrompt(p.ID) })
	if accepted != nil {
		s.pump.Around(func() [][]byte {
			if err := s.submit(ctx, p); err != nil {
				s.take(p.ID)
				return [][]byte{s.conn.failLine(s.id, id, err)}
			}
			return accepted
		})
		return
	}
	if err := s.submit(ctx, p); err != nil {
		s.take(p.ID)
		s.pump.Reply(s.refusal(id, err)...)
	}
}

// submit begins the turn of a prompt, or queues it while another runs: also in the session of a protocol that refuses a second prompt, or
// takes it into the running turn.
func (s *session) submit(ctx context.Context, p engine.Prompt) error {
	queue := engine.QueueSecond
	p.IfBusy = &queue
	_, err := s.client.Prompt(ctx, p)
	if errors.Is(err, engine.ErrTurnActive) {
		err = s.client.FollowUp(ctx, p)
	}
	return err
}

// refusal returns the end of a prompt that has begun no turn. One without a budget ends as the turn that has used it up.
func (s *session) refusal(id jsonrpc.ID, err error) [][]byte {
	if !errors.Is(err, engine.ErrBudget) {
		return [][]byte{s.conn.edition.ended(s, id, PromptResult{}, s.conn.failureOf(s.id, err))}
	}
	s.view.out = nil
	s.view.showNotice(warning, "Budget", err.Error())
	end := event.TurnEnded{Reason: event.TurnBudget}
	return append(s.linesOf(s.view.out), s.promptLine(id, end, false))
}

// ownPrompt reports whether the client has sent a prompt whose turn begins or runs. The caller holds the lock.
func (s *session) ownPrompt(id event.PromptID) bool {
	return s.prompts[id] != nil || s.startedBySteer == id
}

// take removes the request of a prompt; nil: there is none.
func (s *session) take(id event.PromptID) *prompt {
	p := s.prompts[id]
	if p != nil {
		delete(s.prompts, id)
		s.conn.running.done(p.id)
	}
	return p
}
