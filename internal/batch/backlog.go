package batch

import "context"

// A QueueMeter is a Store that reports how long queues are, for metrics.
type QueueMeter interface {
	// Backlog returns how many tasks a queue has that are not delivered, and that are.
	Backlog(ctx context.Context, queue string) (Backlog, error)
}

// A Backlog is the tasks of a queue.
type Backlog struct {
	Queued  int // also those that wait for another attempt
	Running int // delivered to a worker
}
