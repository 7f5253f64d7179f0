package parley

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"iter"

	"parley.dev/parley/record"
)

// An Answer is the result of a turn.
type Answer struct {
	Turn  string           // its id
	Text  string           // of the last message of the model; "": there is none
	Ended record.TurnEnded // the reason, usage and cost
}

// Run is Prompt, and waits for the end of the turn. The error is that of Prompt; a *TurnError if the turn did not complete,
// with what there is of an answer; or ErrClosed if the session was closed. If ctx ends, the turn that the prompt is part of is
// interrupted, and the error is the cause of ctx; Wait waits for the end of the turn.
func (s *Session) Run(ctx context.Context, p Prompt) (Answer, error) {
	from := s.eng.State().Head + 1
	if p.ID == "" {
		p.ID = "p-" + random()
	} else {
		from = 1 // it may be a repeat
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	records := s.Follow(following, FollowOptions{From: from})
	turn, err := s.Prompt(ctx, p)
	if err != nil {
		return Answer{}, err
	}
	answer, err := awaitAnswer(records, p.ID, turn)
	if ctx.Err() != nil && answer.Ended.Reason != record.TurnCompleted {
		if answer.Turn != "" {
			_, _ = s.Interrupt(ctx, answer.Turn) // cannot fail
		}
		return answer, context.Cause(ctx)
	}
	return answer, err
}

// awaitAnswer reads records to the end of the turn that a prompt is part of. turn is that turn; "": the prompt waits for one.
func awaitAnswer(records iter.Seq2[record.Record, error], prompt, turn string) (Answer, error) {
	answer := Answer{Turn: turn}
	for rec, err := range records {
		var event record.Event
		if err == nil {
			event, err = rec.Event()
		}
		if err != nil {
			return answer, err
		}
		if e, ok := event.(record.UserMessage); ok && e.ID == prompt {
			answer.Turn = rec.Turn
		}
		if answer.Turn == "" || rec.Turn != answer.Turn {
			continue
		}
		switch e := event.(type) {
		case record.AssistantMessage:
			answer.Text = e.Text()
		case record.TurnEnded:
			answer.Ended = e
			if e.Reason != record.TurnCompleted {
				return answer, &TurnError{e}
			}
			return answer, nil
		}
	}
	return answer, ErrClosed
}

func random() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, says its documentation
	return hex.EncodeToString(b)
}
