package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// lostMessage is the message of an attempt whose worker was lost.
const lostMessage = "its worker ended"

// A Worker is what a claim depends on.
type Worker struct {
	ID      string
	Labels  map[string]string
	Accepts func(repo string) bool // whether it runs tasks of a repository
}

const (
	// unsuitable is how long a task is left to others that this worker cannot run.
	unsuitable = 5 * time.Second
	// noRoom is how long a task waits for the reservations of others.
	noRoom = 2 * time.Second
)

// ErrFenced is the error of an attempt whose task went on without it: another attempt began, or the task was finished.
var ErrFenced = errors.New("the task went on without this attempt")

// An Attempt is a task that this worker runs. Its methods are safe for concurrent use.
type Attempt struct {
	Task   Task
	Batch  string
	Number int    // 1, 2, 3 …
	Commit string // that the first attempt has pinned; "": none yet
	// Since is when the batch was submitted.
	Since time.Time
	// Recovered reports that the worker of the attempt before ended: it may have left something.
	Recovered bool

	batches  *Batches
	delivery Delivery
	budget   Budget // of the batch
	round    uint64 // see TaskState.Round

	mu    sync.Mutex // guards state; locked while something is appended
	state *TaskState
}

// Claim decides how to proceed with a task that was pulled. It returns an attempt if the worker has to run it; else nil, and the task
// was acknowledged, or left to others. After an error the task is delivered again.
func (b *Batches) Claim(ctx context.Context, d Delivery, w Worker) (*Attempt, error) {
	ref := d.Ref()
	t, err := b.task(ctx, ref.Batch, ref.Task)
	switch {
	case err != nil:
		return nil, err
	case t.Number == 0: // the batch was removed
		return nil, d.Ack(ctx)
	case t.Status.Final():
		return nil, b.acknowledge(ctx, d, t)
	}
	definition, err := b.definition(ctx, ref.Batch)
	if err != nil {
		return nil, err
	}
	if cancelled, err := b.cancelled(ctx, ref.Batch, t); err != nil {
		return nil, err
	} else if cancelled {
		return nil, b.end(ctx, d, t, Cancelled, Failure{"cancelled", "the task was cancelled"})
	}
	defined, err := complete(ctx, b.store, ref.Batch, t.Defined)
	if err != nil {
		return nil, err
	}
	task := *defined.Task
	lost, wait := t.Status == Running, t.NotBefore.Sub(b.now())
	switch {
	case wait > 0:
		return nil, d.Nak(ctx, wait)
	case lost && !task.Retries(CauseLost):
		return nil, b.end(ctx, d, t, Dead, Failure{string(CauseLost), lostMessage})
	case t.Used >= task.Attempts:
		return nil, b.end(ctx, d, t, Dead, t.lastFailure())
	case lost:
		return nil, b.requeueLost(ctx, d, t)
	case !w.suits(task):
		return nil, d.Nak(ctx, unsuitable)
	}
	return b.begin(ctx, d, t, &Attempt{
		Task: task, Batch: ref.Batch, Number: t.Attempt + 1, Commit: t.Commit, Since: definition.Created, Recovered: t.Cause == CauseLost,
		batches: b, delivery: d, state: t, round: t.Round, budget: definition.Budget,
	}, w)
}

// begin reserves what the attempt may use, and appends it to the log.
func (b *Batches) begin(ctx context.Context, d Delivery, t *TaskState, a *Attempt, w Worker) (*Attempt, error) {
	want := Budget{}
	if a.budget.Any() {
		want = a.Task.Budget
		switch answer, err := b.reserve(ctx, a, want); {
		case err != nil:
			return nil, err
		case answer == later:
			return nil, d.Nak(ctx, noRoom)
		case answer == never:
			return nil, b.end(ctx, d, t, NoBudget, Failure{"budget", "the budget of the batch has no room for the task"})
		}
	}
	err := b.append(ctx, a.Batch, t, Event{
		Kind: AttemptBegun, Attempt: a.Number, Worker: w.ID, Session: Session(a.Batch, a.Task.ID, a.Number), Reserved: want,
	})
	if errors.Is(err, ErrConflict) { // another worker has it
		return nil, b.release(ctx, a)
	}
	if err != nil {
		return nil, fmt.Errorf("begin task %s of batch %s: %w", a.Task.ID, a.Batch, err)
	}
	return a, nil
}

// suits reports whether the worker has the labels of a task and runs tasks of its repository.
func (w Worker) suits(t Task) bool {
	for name, value := range t.Labels {
		if has, ok := w.Labels[name]; !ok || has != value {
			return false
		}
	}
	return w.Accepts == nil || t.Repo == "" || w.Accepts(t.Repo)
}

// lastFailure returns why the last attempt of this round ended.
func (t *TaskState) lastFailure() Failure {
	if t.Status == Running || t.Cause == "" {
		return Failure{string(CauseLost), lostMessage}
	}
	return Failure{string(t.Cause), t.Message}
}

// cancelled reports whether a task was cancelled in its current round.
func (b *Batches) cancelled(ctx context.Context, id string, t *TaskState) (bool, error) {
	for e, err := range b.store.Entries(ctx, Log{Batch: id, Kind: CancelLog}, t.Round) {
		var c cancellation
		if err == nil {
			err = json.Unmarshal(e.Data, &c)
		}
		if err != nil {
			return false, fmt.Errorf("read the cancellations of batch %s: %w", id, err)
		}
		if c.covers(t.ID) {
			return true, nil
		}
	}
	return false, nil
}

// end finishes a task without another attempt.
func (b *Batches) end(ctx context.Context, d Delivery, t *TaskState, status Status, f Failure) error {
	r := b.result(d.Ref().Batch, t, status)
	r.Error = &f
	err := b.append(ctx, r.Batch, t, Event{Kind: TaskFinished, Result: &r})
	if errors.Is(err, ErrConflict) {
		return nil // another worker has it, or the next delivery finds it finished
	}
	if err != nil {
		return fmt.Errorf("finish task %s of batch %s: %w", t.ID, r.Batch, err)
	}
	return b.acknowledge(ctx, d, t)
}

// acknowledge settles the budget of a finished task and removes it from the queue. If the user retried it meanwhile, which the queue
// ignored while the task was there, it is queued again.
func (b *Batches) acknowledge(ctx context.Context, d Delivery, t *TaskState) error {
	ref := d.Ref()
	if err := b.settle(ctx, ref.Batch, t); err != nil {
		return err
	}
	if err := d.Ack(ctx); err != nil {
		return err
	}
	last, err := b.store.Last(ctx, Log{Batch: ref.Batch, Kind: TaskLog, Task: ref.Task})
	if err != nil || last.Number == t.Number {
		return ignoreNoEntry(err)
	}
	return b.store.Enqueue(ctx, []Ref{ref})
}

func ignoreNoEntry(err error) error {
	if errors.Is(err, ErrNoEntry) {
		return nil // the batch was removed
	}
	return err
}

// reserve reserves a part of the budget of the batch for an attempt.
func (b *Batches) reserve(ctx context.Context, a *Attempt, want Budget) (answer verdict, err error) {
	err = b.updateLedger(ctx, a.Batch, func(l *ledger) bool {
		before := maps.Clone(l.Reserved)
		answer = l.reserve(a.budget, a.Task.ID, a.Number, want)
		return !maps.Equal(before, l.Reserved)
	})
	return answer, err
}

// release takes the reservation of an attempt back that was not begun. If another worker began the attempt and it has ended, the
// ledger may have been settled before the reservation: it counts once more then, so that it does not stay.
func (b *Batches) release(ctx context.Context, a *Attempt) error {
	if !a.budget.Any() {
		return nil
	}
	t, err := b.task(ctx, a.Batch, a.Task.ID)
	used := Budget{}
	switch {
	case err != nil:
		return err
	case t.Attempt < a.Number: // nothing was begun
	case t.Status.Final():
		return b.settle(ctx, a.Batch, t)
	case t.Attempt == a.Number && t.Status == Running:
		return nil // it is the other worker's
	default:
		used = a.Task.Budget
	}
	return b.updateLedger(ctx, a.Batch, func(l *ledger) bool { return l.settle(a.Task.ID, a.Number, used) })
}

// settle replaces the reservation of the last attempt of a finished task by what it has used.
func (b *Batches) settle(ctx context.Context, id string, t *TaskState) error {
	d, err := b.definition(ctx, id)
	if errors.Is(err, ErrNotFound) || err == nil && !d.Budget.Any() {
		return nil
	}
	if err != nil {
		return err
	}
	return b.updateLedger(ctx, id, func(l *ledger) bool {
		open := slices.Collect(maps.Keys(l.Reserved))
		used := t.Reserved // not known: all counts
		if t.Finished.Used != nil {
			used = Budget(*t.Finished.Used)
		}
		settled := l.settle(t.ID, t.Attempt, used)
		l.expire(t.ID)
		return settled || len(l.Reserved) != len(open)
	})
}
