package engine

import (
	"fmt"
	"slices"

	"parley.dev/parley/internal/event"
)

// An AnsweredError reports that an approval or questions were answered already. It is an ErrNoApproval or an
// ErrNoQuestion, too.
type AnsweredError struct {
	ID      string
	Allowed bool // of an approval; of questions: there are answers
	By      event.Answerer
	Client  event.Client // that answered; zero: none did

	kind error
}

func (e *AnsweredError) Error() string {
	by := e.Client.Name
	if by == "" {
		by = string(e.By)
	}
	text := fmt.Sprintf("%s was answered by %s", e.ID, by)
	switch {
	case e.kind != ErrNoApproval:
		return text
	case e.Allowed:
		return text + ": allowed"
	}
	return text + ": denied"
}

func (e *AnsweredError) Unwrap() error { return e.kind }

// Waiting returns the approvals and the questions that wait for an answer, the oldest first.
func (s *Session) Waiting() (approvals []event.ApprovalAsked, questions []event.QuestionAsked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.fold.Open.Approvals {
		if p := s.clients.approvals[id]; p != nil {
			approvals = append(approvals, p.asked)
		}
	}
	for _, id := range s.fold.Open.Questions {
		if q := s.clients.questions[id]; q != nil {
			questions = append(questions, q.asked)
		}
	}
	return approvals, questions
}

// noApproval returns why no approval of that id is pending.
func (s *Session) noApproval(id event.ApprovalID) error {
	if a, ok := s.clients.answered.find(string(id)); ok {
		a.kind = ErrNoApproval
		return &a
	}
	return fmt.Errorf("%w: %s", ErrNoApproval, id)
}

// noQuestion returns why no questions of that id are pending.
func (s *Session) noQuestion(id event.QuestionID) error {
	if a, ok := s.clients.answered.find(string(id)); ok {
		a.kind = ErrNoQuestion
		return &a
	}
	return fmt.Errorf("%w: %s", ErrNoQuestion, id)
}

// answeredRequests are the approvals and questions that were answered last.
type answeredRequests []AnsweredError

// maxAnswered is how many of them are kept: a client that answers late answers soon all the same.
const maxAnswered = 100

func (a *answeredRequests) add(e AnsweredError) {
	if len(*a) == maxAnswered {
		*a = slices.Delete(*a, 0, 1)
	}
	*a = append(*a, e)
}

func (a answeredRequests) find(id string) (AnsweredError, bool) {
	i := slices.IndexFunc(a, func(e AnsweredError) bool { return e.ID == id })
	if i < 0 {
		return AnsweredError{}, false
	}
	return a[i], true
}
