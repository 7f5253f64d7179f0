package acp

import (
	"context"
	"errors"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// prompt begins a turn, whose end is the answer (session/prompt). While a turn runs it waits for one of its own.
func (c *conn) prompt(ctx context.Context, id jsonrpc.ID, p *PromptParams) {
	s, err := c.find(p.SessionID)
	if err != nil {
		c.fail(id, err)
		return
	}
	blocks, err := s.blocks(p.Prompt)
	if err != nil {
		c.fail(id, err)
		return
	}
	if len(s.eng.State().FollowUps) >= queueBound {
		c.fail(id, errQueueFull)
		return
	}
	prompt := event.PromptID(c.cfg.NewID())
	s.expect(prompt, id)
	if _, err := s.client.Prompt(ctx, engine.Prompt{ID: prompt, Blocks: blocks}); err != nil {
		s.forget(prompt)
		c.failIn(s.id, id, err)
	}
}

// blocks returns a prompt as the model of the session reads it.
func (s *session) blocks(prompt []ContentBlock) ([]model.Block, error) {
	blocks, err := blocksOf(prompt)
	if err != nil {
		return nil, err
	}
	name := s.eng.State().Settings.Model
	if info, _ := s.conn.cfg.Host.DescribeModel(name); info.Known && !info.Images && hasImage(blocks) {
		return nil, invalidMember("prompt", "has an image, which the model "+abridged(name)+" cannot see")
	}
	return blocks, nil
}

// expect makes a request the one that is answered when the turn of a prompt ends.
func (s *session) expect(prompt event.PromptID, id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompts[prompt] = id
	s.conn.running.begin(id, func() { s.cancelPrompt(prompt) })
}

// forget removes the request of a prompt, and returns its id; false: there is none.
func (s *session) forget(prompt event.PromptID) (jsonrpc.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(prompt)
}

func (s *session) take(prompt event.PromptID) (jsonrpc.ID, bool) {
	id, ok := s.prompts[prompt]
	if ok {
		delete(s.prompts, prompt)
		s.conn.running.done(id)
	}
	return id, ok
}

// answerPrompt returns the answers that the end of a turn causes: that of its prompt, and those of the prompts that were
// cancelled with it.
func (s *session) answerPrompt(over turnOver) [][]byte {
	var lines [][]byte
	cancelled := s.cancelled != "" && s.cancelled == over.turn
	if id, ok := s.take(over.prompt); ok {
		lines = append(lines, s.promptLine(id, over.end, cancelled))
	}
	for _, id := range s.dropped {
		lines = append(lines, resultLine(id, PromptResult{StopReason: StopCancelled}))
	}
	s.dropped, s.cancelled = nil, ""
	return lines
}

// stopReasons is the reason of a turn that has not failed.
var stopReasons = map[event.TurnReason]StopReason{
	event.TurnCompleted:   StopEndTurn,
	event.TurnStepLimit:   StopMaxTurnRequests,
	event.TurnBudget:      StopMaxTurnRequests,
	event.TurnMaxTokens:   StopMaxTokens,
	event.TurnRefused:     StopRefusal,
	event.TurnInterrupted: StopCancelled,
}

func (s *session) promptLine(id jsonrpc.ID, end event.TurnEnded, cancelled bool) []byte {
	reason := stopReasons[end.Reason]
	switch {
	case cancelled:
		reason = StopCancelled
	case end.Reason == event.TurnFailed:
		return errorLine(id, failedTurn(end.Failure))
	}
	result := PromptResult{StopReason: reason}
	meta := ParleyPromptMeta{}
	if end.Reason == event.TurnBudget && !cancelled {
		meta.Reason = "budget"
	}
	if usage := usageOf(end.Usage); usage != nil && s.conn.cfg.Flags.Unstable {
		result.Usage = usage
	} else {
		meta.Usage = usage
	}
	if meta != (ParleyPromptMeta{}) {
		result.Meta = &PromptMeta{meta}
	}
	return resultLine(id, result)
}

// usageOf returns the tokens of a turn; nil if nothing is known of them.
func usageOf(u model.Usage) *Usage {
	if u == (model.Usage{}) {
		return nil
	}
	return &Usage{
		TotalTokens: u.Context() + u.Output, InputTokens: u.Context(), OutputTokens: u.Output,
		ThoughtTokens: u.Thinking, CachedReadTokens: u.CacheRead, CachedWriteTokens: u.CacheWrite,
	}
}

// cancel ends the running turn and the prompts that wait (session/cancel).
func (c *conn) cancel(p *CancelParams) {
	if s := c.sessions[event.SessionID(p.SessionID)]; s != nil && !s.loading {
		s.interrupt()
	}
}

// interrupt ends the running turn, whose prompt is answered as cancelled, and then those that wait.
func (s *session) interrupt() {
	s.mu.Lock()
	s.cancelled = s.eng.State().Turn
	_, waiting, err := s.eng.Queue().Clear()
	for _, q := range waiting {
		switch id, ok := s.take(q.ID); {
		case ok && s.cancelled == "":
			s.pump.Reply(resultLine(id, PromptResult{StopReason: StopCancelled}))
		case ok:
			s.dropped = append(s.dropped, id)
		}
	}
	s.mu.Unlock()
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		s.conn.cfg.Log.Warn("queue not cleared", "session", s.id, "error", err)
	}
	s.client.Interrupt()
}

// cancelPrompt ends the turn of one prompt, or removes it from those that wait.
func (s *session) cancelPrompt(prompt event.PromptID) {
	taken, err := s.eng.Queue().TakeFollowUps(func(id event.PromptID) bool { return id == prompt })
	if err == nil && len(taken) > 0 {
		if id, ok := s.forget(prompt); ok {
			s.pump.Reply(resultLine(id, PromptResult{StopReason: StopCancelled}))
		}
		return
	}
	s.mu.Lock()
	_, open := s.prompts[prompt]
	running := open && len(s.prompts) > 0 && !slices.ContainsFunc(s.eng.State().FollowUps, func(q event.Queued) bool { return q.ID == prompt })
	if running {
		s.cancelled = s.eng.State().Turn
	}
	s.mu.Unlock()
	if running {
		s.client.Interrupt()
	}
}

// steer talks into the running turn (_session/steering). Without one it begins one, which has no request to answer.
func (c *conn) steer(ctx context.Context, id jsonrpc.ID, p *SteerParams) {
	s, err := c.find(p.SessionID)
	if err != nil {
		c.fail(id, err)
		return
	}
	blocks, err := s.blocks(p.Prompt)
	if err != nil {
		c.fail(id, err)
		return
	}
	s.pump.Around(func() [][]byte {
		prompt := engine.Prompt{ID: event.PromptID(c.cfg.NewID()), Blocks: blocks}
		result := SteerResult{Outcome: "injected"}
		switch {
		case s.eng.State().Turn != "":
			err = s.client.Steer(ctx, prompt)
		case p.Meta.Steering.IdleBehavior == "promptRequired":
			result = SteerResult{"promptRequired", "noRunningTurn"}
		default:
			result.Outcome = "startedNewTurn"
			_, err = s.client.Prompt(ctx, prompt)
		}
		if err != nil {
			return [][]byte{c.failLine(s.id, id, err)}
		}
		return [][]byte{resultLine(id, result)}
	})
}
