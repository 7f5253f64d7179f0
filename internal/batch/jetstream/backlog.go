package jetstream

import (
	"context"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream"
)

var _ batch.QueueMeter = (*Store)(nil)

// Backlog implements batch.QueueMeter. A task that a worker has left for later counts as running until it is delivered
// again.
func (s *Store) Backlog(ctx context.Context, queue string) (batch.Backlog, error) {
	var b batch.Backlog
	c, err := s.begin(ctx)
	if err != nil {
		return b, err
	}
	defer c.end()
	monitor, ok := c.link.Server.(stream.Monitor)
	if !ok {
		return b, stream.ErrNoList
	}
	found, err := monitor.Backlogs(c, c.link.Namespace.Queue(queue))
	if err != nil {
		return b, s.asClosed(err)
	}
	for name, backlog := range found {
		if l, ok := parseLane(name); ok && l.queue == queue {
			b.Queued += backlog.Waiting
			b.Running += backlog.Delivered
		}
	}
	return b, nil
}
