package batch

import (
	"context"
	"errors"
	"fmt"
)

// Retry queues finished tasks again, with all their attempts: those that are named, else those of one of the statuses. It returns how
// many. ErrNotFound; a named task that is not finished is an error, and nothing was changed.
func (b *Batches) Retry(ctx context.Context, id string, tasks []string, statuses []Status) (int, error) {
	s, err := b.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	chosen, err := s.toRetry(tasks, statuses)
	if err != nil {
		return 0, err
	}
	for n, t := range chosen {
		if err := b.append(ctx, id, t, Event{Kind: TaskRetried}); err != nil && !errors.Is(err, ErrConflict) {
			return n, fmt.Errorf("retry task %s of batch %s: %w", t.ID, id, err)
		}
		if err := b.store.Enqueue(ctx, []Ref{t.ref(id)}); err != nil {
			return n, fmt.Errorf("retry task %s of batch %s: %w", t.ID, id, err)
		}
	}
	return len(chosen), nil
}

func (s *State) toRetry(tasks []string, statuses []Status) ([]*TaskState, error) {
	if err := s.known(tasks); err != nil {
		return nil, err
	}
	var chosen []*TaskState
	for _, name := range tasks {
		t := s.Tasks[name]
		if !t.Status.Final() {
			return nil, fmt.Errorf("task %s of batch %s is %s: only a finished task is retried", name, s.Definition.Batch, t.Status)
		}
		chosen = append(chosen, t)
	}
	if len(tasks) > 0 {
		return chosen, nil
	}
	for _, name := range s.sorted() {
		for _, status := range statuses {
			if t := s.Tasks[name]; t.Status == status {
				chosen = append(chosen, t)
			}
		}
	}
	return chosen, nil
}

// Requeue queues all tasks of a batch that are not finished. It repairs a queue that lost tasks: those that are there stay as they
// are.
func (b *Batches) Requeue(ctx context.Context, s *State) error {
	var refs []Ref
	for _, name := range s.sorted() {
		if t := s.Tasks[name]; !t.Status.Final() {
			refs = append(refs, t.ref(s.Definition.Batch))
		}
	}
	if len(refs) == 0 {
		return nil
	}
	return b.store.Enqueue(ctx, refs)
}

// Remove removes a batch without tasks that wait or run. ErrNotFound, ErrUnfinished.
func (b *Batches) Remove(ctx context.Context, id string) error {
	s, err := b.Load(ctx, id)
	if err != nil {
		return err
	}
	if queued, running := s.counts[Queued], s.counts[Running]; queued+running > 0 {
		return fmt.Errorf("%w: %s has %d queued and %d running tasks; cancel it first", ErrUnfinished, id, queued, running)
	}
	b.mu.Lock()
	delete(b.definitions, id)
	b.mu.Unlock()
	if err := b.store.Remove(ctx, id); err != nil {
		return fmt.Errorf("remove batch %s: %w", id, err)
	}
	return nil
}
