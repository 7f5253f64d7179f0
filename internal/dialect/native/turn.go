package native

import (
	"context"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// prompt starts a turn, or what the session does with a prompt while one runs (turn/prompt).
func (s *session) prompt(ctx context.Context, p *TurnPromptParams) (result TurnPromptResult, err error) {
	blocks, err := s.blocks(p.Blocks)
	if err != nil {
		return result, err
	}
	busy := map[string]engine.SecondPrompt{"": engine.RefuseSecond, "refuse": engine.RefuseSecond, "queue": engine.QueueSecond, "steer": engine.SteerSecond}[p.IfBusy]
	as, err := s.client.Submit(ctx, engine.Prompt{
		ID: event.PromptID(p.ID), Blocks: blocks, IfBusy: &busy, Tuning: engine.Tuning{Instructions: p.Instructions, Thinking: p.Thinking},
	})
	if err != nil {
		return result, err
	}
	return TurnPromptResult{Turn: string(as.Turn), Steered: as.Via == event.BySteer, Queued: as.Via == event.ByFollowUp}, nil
}

// steer adds a prompt to the running turn (turn/steer).
func (s *session) steer(ctx context.Context, p *TurnSteerParams) (Empty, error) {
	return Empty{}, s.whileBusy(ctx, p, s.client.Steer)
}

// followUp queues a prompt after the running turn (turn/follow_up).
func (s *session) followUp(ctx context.Context, p *TurnSteerParams) (Empty, error) {
	return Empty{}, s.whileBusy(ctx, p, s.client.FollowUp)
}

// whileBusy passes a prompt to submit, unless no turn runs.
func (s *session) whileBusy(ctx context.Context, p *TurnSteerParams, submit func(context.Context, engine.Prompt) error) error {
	blocks, err := s.blocks(p.Blocks)
	if err != nil {
		return err
	}
	if s.eng.State().Turn == "" {
		return engine.ErrIdle
	}
	return submit(ctx, engine.Prompt{ID: event.PromptID(p.ID), Blocks: blocks})
}

// interrupt ends what the session is busy with (turn/interrupt).
func (s *session) interrupt(_ context.Context, p *TurnInterruptParams) (TurnInterruptResult, error) {
	st := s.eng.State()
	if !st.Busy || p.Turn != "" && p.Turn != string(st.Turn) {
		return TurnInterruptResult{}, nil
	}
	s.client.Interrupt()
	return TurnInterruptResult{true}, nil
}

// clearQueue removes what waits (queue/clear).
func (s *session) clearQueue(_ context.Context, p *QueueClearParams) (QueueClearResult, error) {
	result := QueueClearResult{[]event.Queued{}, []event.Queued{}}
	switch p.Which {
	case "follow_ups":
		taken, err := s.eng.Queue().TakeFollowUps(nil)
		result.FollowUps = append(result.FollowUps, taken...)
		return result, err
	case "steering":
		taken, err := s.eng.Queue().TakeSteers()
		result.Steering = append(result.Steering, taken...)
		return result, err
	}
	steering, followUps, err := s.eng.Queue().Clear()
	result.Steering, result.FollowUps = append(result.Steering, steering...), append(result.FollowUps, followUps...)
	return result, err
}

// abortRetry ends the wait before a failed request is repeated (retry/abort).
func (s *session) abortRetry(context.Context, *SessionParams) (Empty, error) {
	s.eng.AbortRetry()
	return Empty{}, nil
}

// answerApproval answers an approval (approval/answer).
func (s *session) answerApproval(_ context.Context, p *ApprovalAnswerParams) (Empty, error) {
	d := engine.Decision{Allow: p.Allow, Remember: p.Remember != "", Reason: p.Reason}
	return Empty{}, s.client.Answer(event.ApprovalID(p.Approval), d)
}

// answerQuestion answers a question (question/answer).
func (s *session) answerQuestion(_ context.Context, p *QuestionAnswerParams) (Empty, error) {
	var answers [][]string
	if p.Answers != nil {
		answers = append([][]string{}, *p.Answers...)
	}
	return Empty{}, s.client.AnswerQuestion(event.QuestionID(p.Question), answers)
}
