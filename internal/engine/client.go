package engine

import (
	"errors"
	"fmt"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// A Client is somebody who answers what a session asks. Its methods are safe for concurrent use.
// The session may have several; the first answer counts.
type Client struct {
	session *Session
	left    bool // Detach was called; the session's lock guards it
}

// Attach adds a client that can answer approvals and questions. Until there is one, whatever is
// asked is denied at once.
func (s *Session) Attach() *Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients.attached++
	return &Client{session: s}
}

// Detach removes the client. With the last one everything pending is denied. A second call does
// nothing.
func (c *Client) Detach() {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.left {
		return
	}
	c.left = true
	if s.clients.attached--; s.clients.attached == 0 {
		s.resolveAll(s.text(TextClientGone), event.ByAbsence)
	}
}

// A Decision answers an approval.
type Decision struct {
	Allow     bool
	Remember  bool   // of a permission: the same is not asked again while the session is open
	Broken    bool   // of a denial: the answer made no sense, and the call fails
	Interrupt bool   // in place of all others: the turn is interrupted, which withdraws the approval
	Reason    string // of a denial, for the model; "": TextDenied
}

// Answer decides a pending approval. ErrNoApproval if none of that id is pending.
func (c *Client) Answer(id event.ApprovalID, d Decision) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	pending := s.clients.approvals[id]
	if pending == nil || c.left {
		return fmt.Errorf("%w: %s", ErrNoApproval, id)
	}
	if d.Interrupt {
		s.interrupt()
		return nil
	}
	s.resolve(id, s.answerOf(d))
	if d.Allow && d.Remember {
		s.grant(pending.request)
	}
	return nil
}

// An ApprovalAnswer is the decision about one pending approval.
type ApprovalAnswer struct {
	ID       event.ApprovalID
	Decision Decision
}

// AnswerAll decides approvals that were requested together, and stores grants for the
// session, in one step: no call is decided between the answers and the grants. Calls that
// are denied end in the order of answers, and before the allowed ones run.
//
// Approvals that are not pending any more are skipped. If none is pending, AnswerAll returns
// ErrNoApproval and stores no grant.
func (c *Client) AnswerAll(answers []ApprovalAnswer, grants ...approval.Grant) error {
	for _, g := range grants {
		if err := g.Validate(); err != nil {
			return err
		}
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var denied, allowed []ApprovalAnswer
	for _, a := range answers {
		switch {
		case s.clients.approvals[a.ID] == nil || c.left:
		case a.Decision.Allow:
			allowed = append(allowed, a)
		default:
			denied = append(denied, a)
		}
	}
	if len(denied)+len(allowed) == 0 {
		return fmt.Errorf("%w: the requests were answered or withdrawn", ErrNoApproval)
	}
	for _, g := range grants {
		if _, err := s.clients.grants.AddGrant(g); err != nil {
			return err
		}
	}
	s.resolveTogether(append(denied, allowed...))
	s.giveGranted()
	return nil
}

// Grant stores a grant for the session, and allows the pending approvals that it covers.
func (c *Client) Grant(g approval.Grant) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.clients.grants.AddGrant(g); err != nil {
		return err
	}
	s.giveGranted()
	return nil
}

// AnswerQuestion answers pending questions with one list for each; nil cancels them.
// ErrNoQuestion if none of that id are pending.
func (c *Client) AnswerQuestion(id event.QuestionID, answers [][]string) error {
	r := reply{answers: answers}
	if answers == nil {
		r.err = c.session.declined()
	}
	return c.reply(id, r, event.ByClient)
}

// RefuseQuestion ends pending questions whose answers cannot be used; text is for the model.
// ErrNoQuestion if none of that id are pending.
func (c *Client) RefuseQuestion(id event.QuestionID, text string) error {
	return c.reply(id, reply{err: errors.New(text)}, event.ByFault)
}

func (c *Client) reply(id event.QuestionID, r reply, by event.Answerer) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients.questions[id] == nil || c.left {
		return fmt.Errorf("%w: %s", ErrNoQuestion, id)
	}
	s.resolveQuestion(id, r, by)
	return nil
}
