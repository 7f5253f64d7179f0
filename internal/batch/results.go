package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Result returns the complete result of a finished task.
func (b *Batches) Result(ctx context.Context, t *TaskState) (Result, error) {
	ev, err := complete(ctx, b.store, t.Finished.Result.Batch, t.Finished)
	if err != nil {
		return Result{}, fmt.Errorf("the result of task %s: %w", t.ID, err)
	}
	return *ev.Result, nil
}

// PatchText returns the patch of a finished task, in the format of git; nil: it has none.
func (b *Batches) PatchText(ctx context.Context, t *TaskState) ([]byte, error) {
	r := t.Finished.Result
	switch {
	case r.Patch == nil:
		return nil, nil
	case r.Patch.Bytes > maxInline:
		data, err := b.store.Blob(ctx, r.Batch, r.Patch.SHA256)
		if err != nil {
			return nil, fmt.Errorf("the patch of task %s: %w", t.ID, err)
		}
		return data, nil
	}
	ev, err := complete(ctx, b.store, r.Batch, t.Finished)
	return ev.PatchText, err
}

// Sorted returns the tasks in the order of their ids.
func (s *State) Sorted() []*TaskState {
	tasks := make([]*TaskState, 0, len(s.Tasks))
	for _, id := range s.sorted() {
		tasks = append(tasks, s.Tasks[id])
	}
	return tasks
}

// Address returns the address of a blob: the SHA-256 of its data, in hex.
func Address(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
