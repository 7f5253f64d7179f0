package engine

import (
	"context"
	"errors"
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/session"
)

// This file contains what is left of a session that another process has taken over: how followers see the end of its
// turn, which that process records, and the error of its verbs.

// A MovedError reports a session that another process has taken over. It is ErrClosed, and the LockedError of that process.
type MovedError struct {
	ID          event.SessionID
	Owner, Host string // as LockedError has them; "": not known
}

func (e *MovedError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("session %s has moved to another host: open it again", e.ID)
	}
	return fmt.Sprintf("session %s has moved to host %s (%s): stop it there, or connect to that host", e.ID, e.Host, e.Owner)
}

// Unwrap returns the errors that it also is.
func (e *MovedError) Unwrap() []error {
	return []error{ErrClosed, &LockedError{ID: e.ID, Busy: true, Owner: e.Owner, Host: e.Host}}
}

// movedEnd is the end of a turn whose session has moved, for its followers.
var movedEnd = event.TurnEnded{
	Reason: event.TurnFailed, Failure: &event.Failure{Kind: FailMoved, Message: "the session has moved to another host"}, Mutations: []event.Mutation{},
}

// Moved returns the error of a session that another process has taken over; nil: none has.
func (s *Session) Moved() *MovedError {
	if s.Ended() != EndedMoved {
		return nil
	}
	owner, host := s.owner(context.Background())
	return &MovedError{ID: s.ID(), Owner: owner, Host: host}
}

// closedError returns the error of a verb of a session that is closed.
func (s *Session) closedError() error {
	if err := s.Moved(); err != nil {
		return err
	}
	return ErrClosed
}

// isLocked reports whether err is that of another process that has a session which is open here.
func isLocked(err error) bool {
	_, locked := errors.AsType[*LockedError](err)
	return locked && !errors.Is(err, ErrClosed)
}

// shownEnds returns what ends the turn that followers have seen the begin of; none if they have seen none.
// unacked are the records that they have not seen, and end is the end of the turn. The records that it returns have no number, since they
// are in no journal. It runs under the session's lock.
func (s *Session) shownEnds(unacked []event.Record, end event.TurnEnded) []event.Record {
	turn := s.fold.State.Turn
	ends := newOpenEnds(s.fold.Unclosed(event.OutcomeUnknown))
	for _, rec := range unacked {
		switch e := rec.Event.(type) {
		case event.TurnStarted:
			return nil
		case event.TurnEnded:
			turn = rec.Turn
		default:
			ends.revert(e)
		}
	}
	if turn == "" {
		return nil
	}
	return append(ends.records(turn), event.Record{Turn: turn, Event: end})
}

// openEnds are the ends of what is open, by what they end.
type openEnds struct {
	order []any
	ends  map[any]event.Event
}

func newOpenEnds(unclosed []event.Event) *openEnds {
	o := &openEnds{ends: map[any]event.Event{}}
	for _, e := range unclosed {
		switch e := e.(type) {
		case event.ApprovalAnswered:
			o.add(e.ID, e)
		case event.QuestionAnswered:
			o.add(e.ID, e)
		case event.ToolEnded:
			o.add(e.Call, e)
		case event.StepEnded:
			o.add(e.Step, e)
		}
	}
	return o
}

func (o *openEnds) add(id any, end event.Event) {
	if o.ends[id] == nil {
		o.order = append(o.order, id)
	}
	o.ends[id] = end
}

// revert takes back the next event that followers have not seen: what it has opened is not open for them, and what it
// has closed is, unless they have not seen that being opened either.
func (o *openEnds) revert(e event.Event) {
	switch e := e.(type) {
	case event.ApprovalAsked:
		o.hide(e.ID)
	case event.QuestionAsked:
		o.hide(e.ID)
	case event.ToolIntended:
		o.hide(e.Call)
	case event.StepStarted:
		o.hide(e.Step)
	case event.ApprovalAnswered:
		o.reopen(e.ID, event.ApprovalAnswered{ID: e.ID, Reason: session.NeverStarted, By: event.ByRecovery})
	case event.QuestionAnswered:
		o.reopen(e.ID, event.QuestionAnswered{ID: e.ID, By: event.ByRecovery})
	case event.ToolEnded:
		o.reopen(e.Call, event.ToolEnded{Call: e.Call, Outcome: event.OutcomeUnknown, Output: session.OutcomeUnknown})
	case event.StepEnded:
		o.reopen(e.Step, event.StepEnded{Step: e.Step})
	}
}

// hidden stands for the end of what followers have not seen.
type hidden struct{ event.Event }

func (o *openEnds) hide(id any) { o.add(id, hidden{}) }

func (o *openEnds) reopen(id any, end event.Event) {
	if _, ok := o.ends[id].(hidden); !ok {
		o.add(id, end)
	}
}

// records returns the ends: those of steps after those of calls.
func (o *openEnds) records(turn event.TurnID) (records []event.Record) {
	var steps []event.Record
	for _, id := range o.order {
		rec := event.Record{Turn: turn, Event: o.ends[id]}
		switch rec.Event.(type) {
		case hidden:
		case event.StepEnded:
			steps = append(steps, rec)
		default:
			records = append(records, rec)
		}
	}
	return append(records, steps...)
}
