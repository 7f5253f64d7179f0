package transfer

import (
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

const (
	// patience is how long a process that does not need a lease is waited for: longer than the key of a host that died.
	patience = 20 * time.Second
	pause    = 50 * time.Millisecond
)

// acquire leases a session. From a process that has it and does not need it, it requests the lease.
func acquire(ctx context.Context, store journal.Store, id event.SessionID) (journal.Journal, error) {
	withdraw := func() {}
	defer func() { withdraw() }()
	for end, requested := time.Now().Add(patience), false; ; {
		j, err := store.Lease(ctx, id)
		locked, ok := errors.AsType[*journal.LockedError](err)
		if !ok || locked.Busy || time.Now().After(end) {
			return j, err
		}
		if requester, ok := store.(journal.LeaseRequester); ok && !requested {
			if w, err := requester.RequestLease(id); err == nil {
				withdraw, requested = w, true
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
