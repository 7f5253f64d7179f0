package native

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// do does what a request asks for.
func (c *conn) do(ctx context.Context, r request, params any) {
	if ofTokens(r.method) {
		c.tokenRequest(r, params)
		return
	}
	switch p := params.(type) {
	case *InitializeParams:
		c.initialize(r, p)
	case *Empty:
		c.hostRequest(r)
	case *ModelsListParams:
		c.later(r.id, func(ctx context.Context) (any, error) { return c.models(ctx, p.Discover), nil })
	case *SessionsListParams:
		result, err := c.list(ctx, p)
		c.answer(r.id, result, err)
	case *SessionCreateParams:
		c.create(ctx, r, p)
	case *SessionOpenParams:
		c.open(ctx, r, p)
	case *SessionCloseParams:
		c.close(ctx, r, p)
	default:
		c.sessionRequest(ctx, r, params)
	}
}

// sessionRequest does what a request of a session asks for. A session that the connection has not opened is opened
// first.
func (c *conn) sessionRequest(ctx context.Context, r request, params any) {
	switch p := params.(type) {
	case *SessionParams:
		if r.method == "session/remove" {
			c.remove(ctx, r, p.Session)
			return
		}
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return c.plain(s, r.method) })
	case *SessionFollowParams:
		c.follow(ctx, r, p)
	case *SessionRecordsParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return s.records(ctx, p) })
	case *SessionBlobParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return s.blob(p) })
	case *SessionChangeParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return c.change(s, p) })
	case *SessionForkParams:
		c.fork(ctx, r, p)
	case *SessionBranchParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) {
			removed, err := s.eng.Branch(p.Head)
			return SessionBranchResult{removed}, err
		})
	case *SessionLabelParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return Empty{}, s.eng.Label(p.Target, p.Label) })
	case *SessionCompactParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return Empty{}, c.compact(s, p.Guidance) })
	default:
		c.turnRequest(ctx, r, params)
	}
}

// turnRequest does what a request of a turn asks for.
func (c *conn) turnRequest(ctx context.Context, r request, params any) {
	switch p := params.(type) {
	case *TurnPromptParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return s.prompt(ctx, p) })
	case *TurnSteerParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return Empty{}, s.steer(ctx, r.method, p) })
	case *TurnInterruptParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return s.interrupt(p.Turn), nil })
	case *QueueClearParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) { return s.clearQueue(p.Which) })
	case *ApprovalAnswerParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) {
			d := engine.Decision{Allow: p.Allow, Remember: p.Remember != "", Reason: p.Reason}
			return Empty{}, s.client.Answer(event.ApprovalID(p.Approval), d)
		})
	case *QuestionAnswerParams:
		c.with(ctx, r, p.Session, func(s *session) (any, error) {
			var answers [][]string
			if p.Answers != nil {
				answers = append([][]string{}, *p.Answers...)
			}
			return Empty{}, s.client.AnswerQuestion(event.QuestionID(p.Question), answers)
		})
	default: // a method of the table without a case: a defect
		c.fail(r.id, fmt.Errorf("%s is not there", r.method))
	}
}

// plain does the requests that need nothing but a session.
func (c *conn) plain(s *session, method string) (any, error) {
	switch method {
	case "session/state":
		return s.state(), nil
	case "session/unfollow":
		c.watch(s, nil)
		return Empty{}, nil
	case "session/save":
		return Empty{}, s.eng.Save()
	case "session/context":
		return contextOf(s.eng.Context().Report()), nil
	case "session/usage":
		st := s.eng.State()
		return SessionUsageResult{st.Usage, st.Cost}, nil
	case "tools/list":
		return toolsOf(s.eng), nil
	case "servers/list":
		return serversOf(s.eng), nil
	case "retry/abort":
		s.eng.AbortRetry()
		return Empty{}, nil
	}
	return nil, fmt.Errorf("%s is not there", method) // a method of the table without a case: a defect
}
