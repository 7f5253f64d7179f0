package engine

import (
	"cmp"
	"context"

	"parley.dev/parley/internal/event"
)

// An answer is what settles the approval of a call.
type answer struct {
	allowed bool
	lifted  bool   // the sandbox does not hold for the call
	granted bool   // a grant covers the call
	reason  string // of a denial
	by      event.Answerer
	client  event.Client // that answered; zero: none did

	together bool              // it is one of several answers, see Client.AnswerAll
	after    []<-chan struct{} // closed when the calls that end before this one have ended
}

// answerOf returns what the waiting call receives for a client's decision.
func (s *Session) answerOf(d Decision, client event.Client) answer {
	a := answer{allowed: d.Allow, lifted: d.Allow, granted: d.granted, by: event.ByClient, client: client}
	if !d.Allow {
		a.reason = cmp.Or(d.Reason, s.text(TextDenied))
	}
	if d.Broken {
		a.by = event.ByFault
	}
	return a
}

// resolveTogether closes pending approvals. Each denied call ends before those that follow it.
func (s *Session) resolveTogether(answers []ApprovalAnswer, client event.Client) {
	var after []<-chan struct{}
	for _, one := range answers {
		a := s.answerOf(one.Decision, client)
		a.together, a.after = true, after[:len(after):len(after)]
		if ended := s.clients.approvals[one.ID].ended; !a.allowed && ended != nil {
			after = append(after, ended)
		}
		s.resolve(one.ID, a)
	}
}

// awaitOthers waits for the calls that end before the call of a.
func (a answer) awaitOthers(ctx context.Context) {
	for _, ended := range a.after {
		await(ctx, ended)
	}
}
