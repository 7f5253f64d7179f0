package batch

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// A Submission is what is submitted.
type Submission struct {
	ID     string // "": made of the tasks
	Queue  string // of a new batch; "": DefaultQueue
	Budget Budget // of the batch
	Tasks  []Task // with their defaults
}

// A Submitted is the result of a submission. Its JSON form is the output of batch submit.
type Submitted struct {
	Batch string `json:"batch"`
	Tasks int    `json:"tasks"`
	New   int    `json:"new"` // that were not submitted before
}

// A MismatchError reports that a batch exists with another definition.
type MismatchError struct {
	Batch string
	Tasks []string // that differ, at most 20
	Total int
	Other string // what differs besides tasks; "": nothing
}

func (e *MismatchError) Error() string {
	if e.Total == 0 {
		return fmt.Sprintf("batch %s exists with %s", e.Batch, e.Other)
	}
	text := fmt.Sprintf("batch %s exists, and these tasks differ: %s", e.Batch, strings.Join(e.Tasks, ", "))
	if more := e.Total - len(e.Tasks); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "; nothing was changed: submit under another id with --batch"
}

// chunk is how many tasks are stored at once.
const chunk = 200

// chunkBytes is how large the entries of a chunk are together, in bytes, unless it is a single one.
const chunkBytes = 4 << 20

// Submit stores a batch and queues its tasks. The same submission again stores what is missing, and queues all tasks that are not
// finished, so that one that was interrupted is finished by it. *MismatchError; another error is one of the medium, or of a budget
// that does not go with the tasks.
func (b *Batches) Submit(ctx context.Context, s Submission) (Submitted, error) {
	d, err := s.define()
	if err != nil {
		return Submitted{}, err
	}
	result := Submitted{Batch: d.Batch, Tasks: len(s.Tasks)}
	data, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return result, err
	}
	created, err := b.store.Create(ctx, []Entry{{Log: Log{Batch: d.Batch, Kind: DefinitionLog}, Data: data}})
	if err != nil {
		return result, fmt.Errorf("store batch %s: %w", d.Batch, err)
	}
	before := newState()
	if !created[0] {
		if before, err = b.Load(ctx, d.Batch); err != nil {
			return result, err
		}
		if err := b.compare(ctx, before, d, s); err != nil {
			return result, err
		}
		d = before.Definition
	}
	for tasks := s.Tasks; len(tasks) > 0; {
		n, created, err := b.submitChunk(ctx, d, tasks, before)
		if err != nil {
			return result, fmt.Errorf("store batch %s: %w; submit it again to go on", d.Batch, err)
		}
		tasks, result.New = tasks[n:], result.New+created
	}
	return result, nil
}

// Check returns an error for a submission that Submit would refuse whatever is stored.
func (s Submission) Check() error {
	_, err := s.define()
	return err
}

func (s Submission) define() (Definition, error) {
	digest, err := Digest(s.Tasks)
	if err != nil {
		return Definition{}, err
	}
	d := Definition{Version: version, Batch: s.ID, Queue: s.Queue, Tasks: len(s.Tasks), Digest: digest, Budget: s.Budget}
	if d.Batch == "" {
		d.Batch = batchID(digest)
	}
	if d.Queue == "" {
		d.Queue = DefaultQueue
	}
	if err := CheckBatchID("batch", d.Batch); err != nil {
		return d, err
	}
	if err := CheckBatchID("queue", d.Queue); err != nil {
		return d, err
	}
	return d, checkBudget(s.Budget, s.Tasks)
}

// compare returns a *MismatchError if a batch that exists is not that of d.
func (b *Batches) compare(ctx context.Context, before *State, d Definition, s Submission) error {
	old := before.Definition
	switch {
	case s.Queue != "" && s.Queue != old.Queue:
		return &MismatchError{Batch: d.Batch, Other: fmt.Sprintf("the queue %s, not %s", old.Queue, s.Queue)}
	case old.Digest == d.Digest && old.Budget != d.Budget:
		return &MismatchError{Batch: d.Batch, Other: fmt.Sprintf("the budget %q, not %q", old.Budget, d.Budget)}
	case old.Digest == d.Digest:
		return nil
	}
	e := &MismatchError{Batch: d.Batch}
	differs := func(id string) {
		if e.Total++; len(e.Tasks) < maxErrors {
			e.Tasks = append(e.Tasks, id)
		}
	}
	wanted := map[string]bool{}
	for _, task := range s.Tasks {
		wanted[task.ID] = true
		t := before.Tasks[task.ID]
		if t == nil {
			differs(task.ID)
			continue
		}
		defined, err := complete(ctx, b.store, d.Batch, t.Defined)
		if err != nil {
			return err
		}
		if !equalTasks(*defined.Task, task) {
			differs(task.ID)
		}
	}
	for _, id := range before.sorted() {
		if !wanted[id] {
			differs(id)
		}
	}
	if e.Total == 0 {
		e.Other = "its tasks in another order"
	}
	return e
}

// submitChunk stores and queues the first n of tasks, of which created are new.
func (b *Batches) submitChunk(ctx context.Context, d Definition, tasks []Task, before *State) (n, created int, err error) {
	var entries []Entry
	var refs []Ref
	for size := 0; n < len(tasks) && n < chunk && (n == 0 || size < chunkBytes); n++ {
		task := tasks[n]
		t := before.Tasks[task.ID]
		if t == nil || !t.Status.Final() {
			refs = append(refs, Ref{Queue: d.Queue, Batch: d.Batch, Task: task.ID})
		}
		if t != nil {
			continue
		}
		data, err := encodeEvent(ctx, b.store, d.Batch, Event{Kind: TaskDefined, Queue: d.Queue, Task: &task})
		if err != nil {
			return 0, 0, err
		}
		size += len(data)
		entries = append(entries, Entry{Log: Log{Batch: d.Batch, Kind: TaskLog, Task: task.ID}, Data: data})
	}
	if len(entries) > 0 {
		made, err := b.store.Create(ctx, entries)
		if err != nil {
			return 0, 0, err
		}
		for _, isNew := range made {
			if isNew {
				created++
			}
		}
	}
	if len(refs) == 0 {
		return n, created, nil
	}
	return n, created, b.store.Enqueue(ctx, refs)
}

// BatchID returns the id that the batch has.
func (s Submission) BatchID() (string, error) {
	d, err := s.define()
	return d.Batch, err
}
