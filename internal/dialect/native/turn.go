package native

import (
	"context"
	"errors"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// prompt starts a turn, or what the session does with a prompt while one runs (turn/prompt).
func (s *session) prompt(ctx context.Context, p *TurnPromptParams) (result TurnPromptResult, err error) {
	blocks, err := s.blocks(p.Blocks)
	if err != nil {
		return result, err
	}
	if p.Model != "" {
		if err := s.conn.checkModel(p.Model); err != nil {
			return result, err
		}
	}
	busy := map[string]engine.SecondPrompt{"": engine.RefuseSecond, "refuse": engine.RefuseSecond, "queue": engine.QueueSecond, "steer": engine.SteerSecond}[p.IfBusy]
	as, err := s.client.Submit(ctx, engine.Prompt{
		ID: event.PromptID(p.ID), Blocks: blocks, Ahead: true, IfBusy: &busy, Tuning: engine.Tuning{Instructions: p.Instructions, Thinking: p.Thinking, ModelName: p.Model},
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

// whileBusy passes a prompt to submit, which refuses it unless a turn runs.
func (s *session) whileBusy(ctx context.Context, p *TurnSteerParams, submit func(context.Context, engine.Prompt) error) error {
	blocks, err := s.blocks(p.Blocks)
	if err != nil {
		return err
	}
	return submit(ctx, engine.Prompt{ID: event.PromptID(p.ID), Blocks: blocks, Ahead: true, WhileBusy: true})
}

// interrupt ends what the session is busy with, and the command of the user that runs (turn/interrupt).
func (s *session) interrupt(_ context.Context, p *TurnInterruptParams) (TurnInterruptResult, error) {
	st := s.eng.State()
	interrupted := st.Busy && p.Command == "" && (p.Turn == "" || p.Turn == string(st.Turn))
	if interrupted {
		s.client.Interrupt()
	}
	if p.Turn == "" && s.client.StopCommand(event.CommandID(p.Command)) {
		interrupted = true
	}
	return TurnInterruptResult{interrupted}, nil
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
	if p.Remember == rememberInWorkspace {
		err := s.client.AnswerAlways(event.ApprovalID(p.Approval))
		if errors.Is(err, engine.ErrNotGrantable) {
			err = invalidMember("remember", "is not possible: "+err.Error())
		}
		return Empty{}, err
	}
	d := engine.Decision{Allow: p.Allow, Remember: p.Remember != "", Reason: p.Reason}
	return Empty{}, s.client.Answer(event.ApprovalID(p.Approval), d)
}

// rememberInWorkspace is the [ApprovalAnswerParams.Remember] that stores a grant.
const rememberInWorkspace = "workspace"

func checkApprovalAnswer(p *ApprovalAnswerParams) error {
	if p.Remember == rememberInWorkspace && !p.Allow {
		return problem("remember", "is for calls that are allowed")
	}
	return nil
}

// needsOfAnswer returns what an answer needs.
func needsOfAnswer(p *ApprovalAnswerParams) []rights.Need {
	if p.Remember == rememberInWorkspace {
		return []rights.Need{{Level: rights.Owner, What: "with remember: workspace"}}
	}
	return nil
}

// answerQuestion answers a question (question/answer).
func (s *session) answerQuestion(_ context.Context, p *QuestionAnswerParams) (Empty, error) {
	var answers [][]string
	if p.Answers != nil {
		answers = append([][]string{}, *p.Answers...)
	}
	return Empty{}, s.client.AnswerQuestion(event.QuestionID(p.Question), answers)
}
