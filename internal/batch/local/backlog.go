package local

import (
	"context"
	"time"

	"parley.dev/parley/internal/batch"
)

var _ batch.QueueMeter = (*Store)(nil)

// Backlog implements batch.QueueMeter.
func (s *Store) Backlog(ctx context.Context, queue string) (b batch.Backlog, err error) {
	if err := s.checkUsable(ctx); err != nil {
		return b, err
	}
	err = s.quick.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE holder = '' OR due <= ?1), count(*) FILTER (WHERE holder <> '' AND due > ?1)
FROM queued WHERE queue = ?2`, milliseconds(time.Now()), queue).Scan(&b.Queued, &b.Running)
	return b, s.asClosed(err)
}
