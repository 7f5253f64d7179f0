package acp

import (
	"context"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// The outcomes of _session/steering.
const (
	steerInjected = "injected"
	steerStarted  = "startedNewTurn"
	steerRefused  = "promptRequired"
)

// steer talks into the running turn (_session/steering). Without one it begins one, which has no request to answer.
func (c *conn) steer(ctx context.Context, id jsonrpc.ID, p *SteerParams) {
	s, prompt, err := c.findWithPrompt(p.SessionID, p.Prompt)
	if err != nil {
		c.fail(id, err)
		return
	}
	s.pump.Around(func() [][]byte {
		result, err := s.talkInto(ctx, prompt, p.Meta.Steering.IdleBehavior)
		if err != nil {
			return [][]byte{c.failLine(s.id, id, err)}
		}
		return [][]byte{c.resultLine(id, result)}
	})
}

func (s *session) talkInto(ctx context.Context, p engine.Prompt, idle string) (SteerResult, error) {
	switch {
	case s.eng.State().Turn != "":
		if err := s.client.Steer(ctx, p); err != nil {
			return SteerResult{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.goOn() // the turn may have ended meanwhile
		return SteerResult{Outcome: steerInjected}, nil
	case idle == steerRefused:
		return SteerResult{steerRefused, "noRunningTurn"}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.startedBySteer = p.ID
	_, err := s.client.Prompt(ctx, p)
	return SteerResult{Outcome: steerStarted}, err
}

// beginSteers begins a turn with what was said into one that has ended without it.
func (s *session) beginSteers(ctx context.Context, steers []event.Queued) {
	p := engine.Prompt{ID: event.PromptID(s.conn.cfg.NewID())}
	var resources []*ContentBlock
	for _, q := range steers {
		p.Blocks, p.Notes = append(p.Blocks, q.Blocks...), append(p.Notes, q.Notes...)
		resources = append(resources, resourcesOf(event.UserMessage{Blocks: q.Blocks, Sent: q.Sent})...)
	}
	p.Sent = marshal(resources)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	if _, err := s.client.Prompt(ctx, p); err != nil {
		s.conn.cfg.Log.Warn("steer not delivered", "session", s.id, "error", err)
		s.view.out = nil
		s.view.showNotice(warning, "Not delivered", "a message could not begin a turn: "+err.Error())
		s.pump.Reply(s.linesOf(s.view.out)...)
	}
}
