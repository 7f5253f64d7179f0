package engine

import (
	"cmp"
	"context"
	"fmt"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

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
func (s *Session) AnswerAll(answers []ApprovalAnswer, grants ...approval.Grant) error {
	for _, g := range grants {
		if err := g.Validate(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var denied, allowed []ApprovalAnswer
	for _, a := range answers {
		switch {
		case s.clients.approvals[a.ID] == nil:
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
	var after []<-chan struct{}
	for _, one := range append(denied, allowed...) {
		a := s.answerOf(one.Decision)
		a.together, a.after = true, after[:len(after):len(after)]
		if ended := s.clients.approvals[one.ID].ended; !a.allowed && ended != nil {
			after = append(after, ended)
		}
		s.resolve(one.ID, a)
	}
	s.giveGranted()
	return nil
}

// answerOf returns what the waiting call receives for a client's decision.
func (s *Session) answerOf(d Decision) answer {
	a := answer{allowed: d.Allow, lifted: d.Allow, by: event.ByClient}
	if !d.Allow {
		a.reason = cmp.Or(d.Reason, s.text(TextDenied))
	}
	if d.Broken {
		a.by = event.ByFault
	}
	return a
}

// awaitOthers waits for the calls that end before the call of a.
func (a answer) awaitOthers(ctx context.Context) {
	for _, ended := range a.after {
		await(ctx, ended)
	}
}
