package jetstream

import (
	"context"
	"errors"
	"os"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

const (
	// claimAttempts is how often a claim is repeated if another process was faster.
	claimAttempts = 10
	// ownerPatience is how long a host that has a key may take to answer.
	ownerPatience = 2 * time.Second
	ownerPoll     = 100 * time.Millisecond
)

// claim makes this store the owner of a session whose lease is registered. It returns its claim, also as the
// predecessor of the next frame, and the frame before it. Errors: *journal.LockedError, ErrNotFound.
func (s *Store) claim(ctx context.Context, l *cluster.Link, id event.SessionID, force bool) (f *frame, own stream.Predecessor, before *frame, err error) {
	var locked error = &journal.LockedError{ID: id}
	for range claimAttempts {
		interruptions := l.Interruptions()
		last, after, err := s.lastFrame(ctx, l, id)
		if err != nil {
			return nil, own, nil, err
		}
		var reason ClaimReason
		if !force {
			if reason, err = s.checkOwner(ctx, id, last); err != nil {
				return nil, own, nil, err
			}
		}
		f := s.newFrame(kindClaim, last.epoch+1)
		f.first, f.head, f.hash = last.head+1, last.head, last.hash
		seq, err := s.submitFrame(ctx, l, l.Namespace.Journal(id), f, stream.Predecessor{Seq: after, Same: isFrame(last.sameAs), Interruptions: interruptions})
		if err == nil {
			s.observer.SessionClaimed(reason)
			return f, s.ownFrame(f.epoch, seq, interruptions), last, nil
		}
		if !errors.Is(err, stream.ErrTaken) {
			return nil, own, nil, err
		}
		locked = lockedBy(id, last)
	}
	return nil, own, nil, locked
}

// checkOwner returns why a session can be claimed: its owner is gone, or does not have it any more; else a LockedError.
func (s *Store) checkOwner(ctx context.Context, id event.SessionID, last *frame) (ClaimReason, error) {
	switch last.owner {
	case noOwner:
		return ClaimReleased, nil
	case s.member.Owner():
		return ClaimOwn, nil // no lease is registered: the claimant's is
	}
	for end := time.Now().Add(ownerPatience); ; {
		live, err := s.member.Live(ctx, last.owner)
		if err != nil || !live {
			return s.claimAfter(last.owner), err
		}
		answer, err := s.member.Call(ctx, last.owner, verbHolder, string(id))
		switch {
		case err == nil && answer == answerUnknown:
			return ClaimUnknown, nil
		case err == nil:
			locked := lockedBy(id, last)
			locked.Busy = answer == answerBusy
			return "", locked
		case ctx.Err() != nil:
			return "", ctx.Err()
		case time.Now().After(end):
			return "", lockedBy(id, last)
		}
		select {
		case <-time.After(ownerPoll):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// lockedBy returns the error for a session whose last frame is given.
func lockedBy(id event.SessionID, last *frame) *journal.LockedError {
	if last.owner == noOwner {
		return &journal.LockedError{ID: id, PID: os.Getpid()}
	}
	return &journal.LockedError{ID: id, PID: last.pid, Owner: last.owner, Host: last.host}
}
