package jetstream

import (
	"context"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// TakeOver leases a session whether or not its owner lives.
func TakeOver(ctx context.Context, s *Store, id event.SessionID) (journal.Journal, error) {
	return s.resume(ctx, id, nil, true)
}
