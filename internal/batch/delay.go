package batch

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

const (
	// defaultFirstDelay is how long a task waits for its second attempt.
	defaultFirstDelay = 10 * time.Second
	// maxDelay is how long a task waits at most for another attempt.
	maxDelay = 10 * time.Minute
)

// backoff returns the delay before another attempt, after so many that were used. It doubles with each of them, and is longer by spread,
// a part of 0 to 1, of its half: tasks that failed together, or in step with a fault that comes back, do not return together.
func backoff(first time.Duration, used int, spread float64) time.Duration {
	delay := first
	for ; used > 1 && delay < maxDelay; used-- {
		delay *= 2
	}
	return min(maxDelay, delay+time.Duration(spread*float64(delay/2)))
}

// delay returns how long a task waits after its attempt. Every process computes the same.
func (b *Batches) delay(id string, t *TaskState) time.Duration {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s %s %d", id, t.ID, t.Attempt)
	const parts = 1 << 10
	return backoff(b.firstDelay, t.Used, float64(hash.Sum64()%parts)/parts)
}

// requeueLost ends the attempt of a worker that was lost: it can store nothing any more, and another one begins after a delay. What it had
// reserved of the budget stays reserved until then, and counts.
func (b *Batches) requeueLost(ctx context.Context, d Delivery, t *TaskState) error {
	id, delay := d.Ref().Batch, b.delay(d.Ref().Batch, t)
	err := b.append(ctx, id, t, Event{Kind: TaskRequeued, Cause: CauseLost, Message: lostMessage, NotBefore: b.now().Add(delay).UTC()})
	if errors.Is(err, ErrConflict) {
		return nil // the worker was not lost, or another one was faster
	}
	if err != nil {
		return fmt.Errorf("requeue task %s of batch %s: %w", t.ID, id, err)
	}
	return d.Nak(ctx, delay)
}
