package engine

import (
	"context"
	"errors"

	"parley.dev/parley/internal/event"
)

// This file contains what a session does while its journal cannot be written, in a store that is not deferred. Records wait then,
// unseen; the turn ends, and its followers receive an end without a number. The next verb that writes tries again.

// stopUnsaved ends what runs, since nothing of it can be saved. It runs under the session's lock.
func (s *Session) stopUnsaved(err error) {
	if s.slot != nil {
		s.slot.cancel(err)
	}
}

// awaitSaved is awaitDisk for what has begun a turn. If the disk fails it waits for the end of the turn, which tries to save it again: either
// that fails, and the client is refused, or it sees the turn that it has begun.
func (s *Session) awaitSaved(ctx context.Context) error {
	err := s.awaitDisk(ctx)
	if err == nil || s.log.Deferred() || s.waitTurn(ctx) != nil {
		return err
	}
	return s.awaitDisk(ctx)
}

// endsUnsaved returns how a turn ends that was to end for a reason, if its journal cannot be written.
func endsUnsaved(ctx context.Context, reason event.TurnReason, failure *event.Failure) (event.TurnReason, *event.Failure) {
	if cause := context.Cause(ctx); reason == event.TurnInterrupted && errors.Is(cause, ErrUnsaved) {
		return event.TurnFailed, unsavedFailure(cause)
	}
	return reason, failure
}

func unsavedFailure(err error) *event.Failure {
	return &event.Failure{Kind: FailUnsaved, Message: err.Error()}
}

// showUnsavedEnd delivers the end of a turn of which records wait until they can be saved. It runs under the session's lock.
func (s *Session) showUnsavedEnd(turn event.TurnID, end event.TurnEnded) {
	unseen := s.log.Unacknowledged()
	if !s.log.Failing() || len(unseen) == 0 {
		return
	}
	if end.Failure == nil || end.Failure.Kind != FailUnsaved {
		end.Reason, end.Failure = event.TurnFailed, unsavedFailure(ErrUnsaved)
	}
	ends := s.shownEnds(unseen, end)
	if ends == nil { // nor have they seen its begin
		ends = []event.Record{{Turn: turn, Event: end}}
	}
	s.log.ShowAhead(ends...)
}

// saveAgain tries to save what waits since the journal could not be written. It runs under the session's lock. ErrUnsaved.
func (s *Session) saveAgain() error {
	if s.log.Deferred() || !s.log.Failing() || !s.log.Leased() {
		return nil
	}
	return s.log.Flush()
}

// savedHead returns the number of the last record, after saveAgain.
func (s *Session) savedHead() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.saveAgain(); err != nil {
		return 0, err
	}
	return s.fold.State.Head, nil
}
