package acp

import (
	"context"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file answers the prompts of turns that have ended.

// answerPrompt returns the answers that the end of a turn causes: that of its prompt, and those of the prompts that were
// cancelled with it.
func (s *session) answerPrompt(over turnEnd) [][]byte {
	var lines [][]byte
	if p := s.take(over.prompt); p != nil {
		lines = append(lines, s.promptLine(p.id, over.end, p.cancelled))
	} else {
		lines = appendLine(lines, s.promptLine("", over.end, false))
	}
	for _, id := range over.taken { // in the session of a protocol that takes what waits into the running turn
		if p := s.take(id); p != nil && s.conn.edition.answersPrompt() {
			lines = append(lines, s.promptLine(p.id, over.end, p.cancelled))
		}
	}
	if s.cancelling() {
		return lines
	}
	return append(lines, s.answerCancelled()...)
}

// cancelling reports whether a turn is yet to end that was cancelled.
func (s *session) cancelling() bool {
	for _, p := range s.prompts {
		if p.cancelled {
			return true
		}
	}
	return false
}

// answerCancelled returns the answers to the prompts that were cancelled while they waited.
func (s *session) answerCancelled() [][]byte {
	var lines [][]byte
	for _, id := range s.cancelledPrompts {
		lines = append(lines, s.cancelledLine(id))
	}
	s.cancelledPrompts = nil
	return lines
}

func (s *session) cancelledLine(id jsonrpc.ID) []byte {
	return s.conn.edition.ended(s, id, PromptResult{StopReason: StopCancelled}, nil)
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
		return s.conn.edition.ended(s, id, PromptResult{}, s.conn.failedTurn(end.Failure))
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
	return s.conn.edition.ended(s, id, result, nil)
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

// goOn begins turns for what the last turn has left in the queue of the client's own, if no turn runs now: steers that it ended without,
// which the client knows as accepted, and prompts for which the engine could not begin a turn. Those are tried again, so that they
// are answered.
func (s *session) goOn() {
	st := s.eng.State()
	if st.Busy || s.closed || len(st.Steering)+len(st.FollowUps) == 0 || s.eng.Ended() != "" {
		return
	}
	steers, prompts, err := s.client.Withdraw()
	if err != nil {
		s.conn.cfg.Log.Warn("prompts not taken from the queue", "session", s.id, "error", err)
		return
	}
	var left []*job
	for _, q := range prompts {
		if p := s.take(q.ID); p != nil {
			left = append(left, s.newJob(p.id, func(ctx context.Context) { s.begin(ctx, p.id, s.again(q), nil) }))
		} else { // a steer that found no turn
			steers = append(steers, q)
		}
	}
	if len(steers) > 0 {
		left = slices.Insert(left, 0, s.newJob("", func(ctx context.Context) { s.beginSteers(ctx, steers) }))
	}
	s.addJobsFirst(left)
}

// again returns a prompt that has waited. Its id is used up.
func (s *session) again(q event.Queued) engine.Prompt {
	return engine.Prompt{ID: event.PromptID(s.conn.cfg.NewID()), Blocks: q.Blocks, Sent: q.Sent, Notes: q.Notes}
}
