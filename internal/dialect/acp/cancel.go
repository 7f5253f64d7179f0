package acp

import (
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// cancel ends the running turn and the prompts of the client that wait (session/cancel).
func (c *conn) cancel(p *CancelParams) {
	if s, err := c.find(p.SessionID); err == nil {
		s.interrupt()
	}
}

// interrupt ends the running turn or command, whose prompt is answered as cancelled, and then the queued prompts and steers of the client.
// Prompts of other clients stay queued.
func (s *session) interrupt() {
	s.mu.Lock()
	s.jobs.cancelAll()
	_, waiting, err := s.client.Withdraw()
	for _, q := range waiting {
		if p := s.take(q.ID); p != nil {
			s.cancelledPrompts = append(s.cancelledPrompts, p.id)
		}
	}
	for _, p := range s.prompts { // what is left has a turn, which may have ended already
		p.cancelled = true
	}
	if len(s.prompts) == 0 {
		s.pump.Reply(s.answerCancelled()...)
	}
	s.mu.Unlock()
	if err != nil && !errors.Is(err, engine.ErrClosed) && !errors.Is(err, engine.ErrNoSession) {
		s.conn.cfg.Log.Warn("queue not cleared", "session", s.id, "error", err)
	}
	s.client.Interrupt()
}

// cancelPrompt ends the turn of one prompt, or removes it from those that wait.
func (s *session) cancelPrompt(id event.PromptID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken, err := s.eng.Queue().TakeFollowUps(func(waiting event.PromptID) bool { return waiting == id })
	if err == nil && len(taken) > 0 {
		if p := s.take(id); p != nil {
			s.pump.Reply(s.cancelledLine(p.id))
		}
		return
	}
	if p := s.prompts[id]; p != nil {
		p.cancelled = true
		s.client.InterruptPrompt(id)
	}
}
