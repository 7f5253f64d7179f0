package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Cancel cancels tasks of a batch, all that are not finished if none are named. Tasks that do not run are finished when it returns;
// those that run are stopped by their workers. It returns how many are cancelled or being stopped. ErrNotFound.
func (b *Batches) Cancel(ctx context.Context, id string, tasks []string) (int, error) {
	s, err := b.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	if err := s.known(tasks); err != nil {
		return 0, err
	}
	c := cancellation{Tasks: tasks}
	data, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	if err := b.appendCancel(ctx, id, data); err != nil {
		return 0, fmt.Errorf("cancel batch %s: %w", id, err)
	}
	stopped := 0
	for _, name := range s.sorted() {
		t := s.Tasks[name]
		if !c.covers(name) || t.Status.Final() {
			continue
		}
		stopped++
		if t.Status == Queued {
			if err := b.finishCancelled(ctx, id, t); err != nil {
				return stopped, fmt.Errorf("cancel task %s of batch %s: %w", name, id, err)
			}
		}
	}
	return stopped, nil
}

func (b *Batches) appendCancel(ctx context.Context, id string, data []byte) error {
	log := Log{Batch: id, Kind: CancelLog}
	for {
		last, err := b.store.Last(ctx, log)
		if err != nil && !errors.Is(err, ErrNoEntry) {
			return err
		}
		if _, err = b.store.Append(ctx, log, last.Number, data); !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// finishCancelled ends a task that does not run. A worker that is faster sees the cancellation.
func (b *Batches) finishCancelled(ctx context.Context, id string, t *TaskState) error {
	r := b.result(id, t, Cancelled)
	r.Error = &Failure{"cancelled", "the task was cancelled"}
	if err := b.append(ctx, id, t, Event{Kind: TaskFinished, Result: &r}); !errors.Is(err, ErrConflict) {
		return err
	}
	return nil
}

// result returns the result of a task without an attempt that says more.
func (b *Batches) result(id string, t *TaskState, status Status) Result {
	r := Result{
		Batch: id, Task: t.ID, Status: status, Worker: t.Worker, Session: t.Session, Commit: t.Commit,
		Verify: []Verification{}, Ended: b.now().UTC().Truncate(time.Millisecond),
	}
	if !t.Started.IsZero() { // in this round
		started := t.Started.UTC().Truncate(time.Millisecond)
		r.Attempt, r.Started = t.Attempt, &started
	}
	return r
}

// known returns ErrNotFound for a name that is no task.
func (s *State) known(tasks []string) error {
	for _, name := range tasks {
		if s.Tasks[name] == nil {
			return fmt.Errorf("%w as one with a task %s: %s", ErrNotFound, name, s.Definition.Batch)
		}
	}
	return nil
}
