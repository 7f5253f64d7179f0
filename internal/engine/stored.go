package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/sessionlog"
)

// This file contains what a session does about a store that is deferred: that can take any time, and whose
// lease can be lost.

// storeLimit is how long a verb waits for a deferred store. It fails then, and nothing was accepted.
const storeLimit = 10 * time.Second

// ErrOutcomeUnknown is the error of a record that was accepted, and that the store has not acknowledged in time.
// It keeps its place, and may be stored later. A prompt that is repeated with its id returns its turn.
var ErrOutcomeUnknown = fmt.Errorf("%w yet: the store has not acknowledged it, and the outcome is unknown", sessionlog.ErrUnsaved)

// errNoAnswer is the error of a verb for which the store did not answer in time.
var errNoAnswer = fmt.Errorf("%w: the store does not answer", sessionlog.ErrUnsaved)

// Deferred reports whether the store acknowledges records later than it accepts them.
func (h *Host) Deferred() bool { return h.cfg.Store.Deferred() }

// AwaitStored waits until everything that was recorded before the call is stored. The error is ErrOutcomeUnknown if that fails, ctx
// ends before, or the session moves to another process.
func (l Log) AwaitStored(ctx context.Context) error { return outcome(l.s.log.AwaitStored(ctx)) }

// Storing returns what AwaitStored does if it has to wait for what is recorded now; nil: that is stored.
func (l Log) Storing() (wait func(context.Context) error) {
	stored := l.s.log.Storing()
	if stored == nil {
		return nil
	}
	return func(ctx context.Context) error { return outcome(stored(ctx)) }
}

// awaitDisk waits until what a verb has recorded is on disk. In a deferred store it is AwaitStored.
func (s *Session) awaitDisk(ctx context.Context) error { return outcome(s.log.AwaitDisk(ctx)) }

// outcome returns the error of a wait for the store as clients receive it.
func outcome(err error) error {
	if err == nil {
		return nil
	}
	return ErrOutcomeUnknown
}

// storeContext returns the context of a request to the store that a verb waits for.
func (h *hostState) storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if !h.cfg.Store.Deferred() {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, storeLimit)
}

// unavailable wraps the error of a request to the store in ErrUnavailable, unless it is one of the request or the session.
func unavailable(err error) error {
	for _, known := range []error{nil, ErrUnavailable, ErrNoSession, ErrExists, ErrBadCursor, ErrOutside, journal.ErrClosed, journal.ErrStale, fs.ErrNotExist, context.Canceled} {
		if errors.Is(err, known) {
			return err
		}
	}
	_, locked := errors.AsType[*LockedError](err)
	_, damaged := errors.AsType[*DamageError](err)
	if locked || damaged {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// inTime returns errNoAnswer instead of the error of a request to the store that limited has ended, but not ctx.
func inTime(ctx, limited context.Context, err error) error {
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return errNoAnswer
	}
	return err
}

// create creates the journal of a session in a deferred store, if there is none. The session's lock is not held
// meanwhile: then waited is true.
func (s *Session) create() (waited bool, err error) {
	if !s.log.Deferred() || s.log.Created() {
		return false, nil
	}
	ctx, cancel := s.host.storeContext(context.Background())
	defer cancel()
	s.lease.claims++ // until the caller has used the lease
	err = s.log.Create(ctx)
	s.lease.claims--
	if err == nil && s.ended != "" {
		err = ErrClosed
	}
	return true, err
}

// mayWork waits until new work may begin: in a store whose leases end, until they were renewed. The error is the
// cause of ctx.
func (s *Session) mayWork(ctx context.Context) error {
	renewer, ok := s.host.cfg.Store.(journal.Renewer)
	if !ok {
		return nil
	}
	return renewer.AwaitRenewal(ctx)
}

// mayCall waits until the model may be called: mayWork, and what an agent is sent must be stored.
func (s *Session) mayCall(ctx context.Context) error {
	if err := s.log.AwaitAck(ctx); err != nil {
		return err
	}
	return s.mayWork(ctx)
}

// lose ends the session after another process has taken it over: what runs is interrupted, and nothing is
// recorded any more. That process closes what is open.
func (s *Session) lose() {
	if err := s.End(context.Background(), EndedMoved); err != nil {
		s.host.cfg.Log.Error("lost session not closed", "session", s.id, "error", err)
	}
}

// ownerLimit is how long owner may take.
const ownerLimit = 2 * time.Second

// owner returns which process has the session, and on which host, if the store is shared by several machines;
// "": that is not known.
func (s *Session) owner(ctx context.Context) (owner, host string) {
	store, ok := s.host.cfg.Store.(journal.OwnerStore)
	if !ok {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, ownerLimit)
	defer cancel()
	owner, host, err := store.Owner(ctx, s.id)
	if err != nil {
		return "", ""
	}
	return owner, host
}
