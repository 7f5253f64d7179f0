package batch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The errors of verbs that callers branch on.
var (
	// ErrNotFound is the error for a batch, or a task of it, that does not exist.
	ErrNotFound = errors.New("no such batch")
	// ErrUnfinished is the error of Remove for a batch that has tasks which are not finished.
	ErrUnfinished = errors.New("the batch is not finished")
)

// Batches are the batches of a store, and what users and workers do with them. It is safe for concurrent use.
type Batches struct {
	store      Store
	now        func() time.Time
	firstDelay time.Duration
	ledgers    ledgerCache

	mu          sync.Mutex
	definitions map[string]Listed // of batches that tasks were claimed of
}

// New returns the batches of a store.
func New(store Store) *Batches { return NewWithDelay(store, defaultFirstDelay) }

// NewWithDelay returns the batches of a store in which a task waits so long for its second attempt, and twice as long for each
// further one.
func NewWithDelay(store Store, firstDelay time.Duration) *Batches {
	return &Batches{store: store, now: time.Now, firstDelay: firstDelay, definitions: map[string]Listed{}}
}

// Store returns the store.
func (b *Batches) Store() Store { return b.store }

// Load returns the state of a batch. ErrNotFound.
func (b *Batches) Load(ctx context.Context, id string) (*State, error) {
	s := newState()
	for e, err := range b.store.Entries(ctx, Log{Batch: id}, 0) {
		if err == nil {
			err = s.Apply(e)
		}
		if err != nil {
			return nil, fmt.Errorf("read batch %s: %w", id, err)
		}
	}
	if s.Definition.Batch == "" {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return s, nil
}

// Watch calls each with the state of a batch as it is, and again after each change, until each returns false or ctx ends, whose
// error it returns. ErrNotFound.
func (b *Batches) Watch(ctx context.Context, id string, each func(*State) bool) error {
	s, err := b.Load(ctx, id)
	if err != nil {
		return err
	}
	if !each(s) {
		return nil
	}
	for e, err := range b.store.Follow(ctx, Log{Batch: id}, s.Last) {
		if err == nil {
			err = s.Apply(e)
		}
		if err != nil {
			return fmt.Errorf("follow batch %s: %w", id, err)
		}
		if !each(s) {
			return nil
		}
	}
	return ctx.Err()
}

// List returns the definitions of all batches, and when they were made, the oldest first.
func (b *Batches) List(ctx context.Context) ([]Listed, error) {
	entries, err := b.store.Batches(ctx)
	if err != nil {
		return nil, fmt.Errorf("list batches: %w", err)
	}
	var list []Listed
	for _, e := range entries {
		d, err := parseDefinition(e)
		if err != nil {
			return nil, err
		}
		list = append(list, Listed{d, e.Time})
	}
	return list, nil
}

// A Listed is a batch in a list.
type Listed struct {
	Definition
	Created time.Time
}

// definition returns a batch as List does. ErrNotFound.
func (b *Batches) definition(ctx context.Context, id string) (Listed, error) {
	b.mu.Lock()
	l, known := b.definitions[id]
	b.mu.Unlock()
	if known {
		return l, nil
	}
	e, err := b.store.Last(ctx, Log{Batch: id, Kind: DefinitionLog})
	if errors.Is(err, ErrNoEntry) {
		return l, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err != nil {
		return l, fmt.Errorf("read the definition of batch %s: %w", id, err)
	}
	d, err := parseDefinition(e)
	if err != nil {
		return l, err
	}
	l = Listed{d, e.Time}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.definitions[id] = l
	return l, nil
}

// task returns the state of a task; its Number is 0 if there is no such task.
func (b *Batches) task(ctx context.Context, id, task string) (*TaskState, error) {
	var t TaskState
	for e, err := range b.store.Entries(ctx, Log{Batch: id, Kind: TaskLog, Task: task}, 0) {
		if err == nil {
			err = t.Apply(e)
		}
		if err != nil {
			return nil, fmt.Errorf("read task %s of batch %s: %w", task, id, err)
		}
	}
	return &t, nil
}

// append appends an event to the log of a task whose last entry is t.Number, and to t.
func (b *Batches) append(ctx context.Context, id string, t *TaskState, ev Event) error {
	data, err := encodeEvent(ctx, b.store, id, ev)
	if err != nil {
		return err
	}
	log := Log{Batch: id, Kind: TaskLog, Task: t.ID}
	number, err := b.store.Append(ctx, log, t.Number, data)
	if err != nil {
		return err
	}
	return t.Apply(Entry{Log: log, Number: number, Time: b.now(), Data: data})
}

func (t *TaskState) ref(batch string) Ref {
	return Ref{Queue: t.Defined.Queue, Batch: batch, Task: t.ID}
}
