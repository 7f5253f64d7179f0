package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/text"
)

// Session returns the id of the session of the attempt.
func (a *Attempt) Session() string { return Session(a.Batch, a.Task.ID, a.Number) }

// Pin stores the commit that this attempt works on, for all further ones. ErrFenced.
func (a *Attempt) Pin(ctx context.Context, commit string) error {
	if a.Commit != "" {
		return nil
	}
	if err := a.append(ctx, Event{Kind: CommitPinned, Commit: commit}); err != nil {
		return err
	}
	a.Commit = commit
	return nil
}

// Extend keeps the task from being delivered to others, and reports ErrFenced if it was all the same.
func (a *Attempt) Extend(ctx context.Context) error {
	if err := a.delivery.Extend(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	last, err := a.batches.store.Last(ctx, a.log())
	switch {
	case errors.Is(err, ErrNoEntry), err == nil && last.Number != a.state.Number:
		return ErrFenced
	}
	return err
}

// AwaitCancel returns nil when the task is cancelled, and the error of ctx when that ends first.
func (a *Attempt) AwaitCancel(ctx context.Context) error {
	for e, err := range a.batches.store.Follow(ctx, Log{Batch: a.Batch, Kind: CancelLog}, a.round) {
		var c cancellation
		if err == nil {
			err = json.Unmarshal(e.Data, &c)
		}
		if err != nil {
			return err
		}
		if c.covers(a.Task.ID) {
			return nil
		}
	}
	return ctx.Err()
}

// cut marks the end of a text that was shortened.
const cut = " …"

// An Outcome is the result of an attempt.
type Outcome struct {
	Status  Status // final; not Dead
	Cause   Cause  // of Failed
	Message string // of all but Done
	Patch   *Patch
	Text    []byte // of the patch
	Answer  string
	Verify  []Verification
	Usage   Usage
	CostUSD float64
	Steps   int
	// ToolCalls and Subagents are for the budget of the batch.
	ToolCalls, Subagents int
}

// An Ended is the state of a task after an attempt: its Status is Queued if it is tried again.
type Ended struct {
	Status Status
	Delay  time.Duration // of another attempt
}

// Finish ends the attempt. If the task is retried on the cause, and has attempts left, it is queued again after a delay; else the
// outcome is its result. ErrFenced: nothing was stored.
func (a *Attempt) Finish(ctx context.Context, o Outcome) (Ended, error) {
	retried := o.Status == Failed && a.Task.Retries(o.Cause)
	if retried && a.state.Used < a.Task.Attempts {
		delay := a.batches.delay(a.Batch, a.state)
		return Ended{Queued, delay}, a.requeue(ctx, Event{
			Cause: o.Cause, Message: text.Clip(o.Message, maxMessage, cut), NotBefore: a.batches.now().Add(delay).UTC(),
			Usage: o.Usage, CostUSD: o.CostUSD,
		}, o.used(), delay)
	}
	if retried && (o.Cause == CauseProvider || o.Cause == CauseSetup) {
		o.Status = Dead
	}
	ev, err := a.resultEvent(ctx, o)
	if err != nil {
		return Ended{}, err
	}
	if err := a.append(ctx, ev); err != nil {
		return Ended{}, err
	}
	return Ended{Status: o.Status}, a.batches.acknowledge(ctx, a.delivery, a.state)
}

// GiveBack ends the attempt without using it up: the worker ends. ErrFenced.
func (a *Attempt) GiveBack(ctx context.Context, o Outcome) error {
	return a.requeue(ctx, Event{Message: "its worker was asked to end", Free: true, Usage: o.Usage, CostUSD: o.CostUSD}, o.used(), 0)
}

func (a *Attempt) requeue(ctx context.Context, ev Event, used Budget, delay time.Duration) error {
	ev.Kind = TaskRequeued
	if err := a.append(ctx, ev); err != nil {
		return err
	}
	if a.budget.Any() {
		err := a.batches.updateLedger(ctx, a.Batch, func(l *ledger) bool { return l.settle(a.Task.ID, a.Number, used) })
		if err != nil {
			return err
		}
	}
	return a.delivery.Nak(ctx, delay)
}

// resultEvent returns the event of a result, and stores a large patch.
func (a *Attempt) resultEvent(ctx context.Context, o Outcome) (Event, error) {
	r := a.batches.result(a.Batch, a.state, o.Status)
	r.Commit, r.Answer, r.Usage, r.CostUSD, r.Steps = a.Commit, text.Clip(o.Answer, MaxAnswer-len(cut), cut), o.Usage, roundCost(o.CostUSD), o.Steps
	r.Patch = o.Patch
	if o.Verify != nil {
		r.Verify = o.Verify
	}
	if o.Status != Done {
		kind := string(o.Status)
		if o.Cause != "" {
			kind = string(o.Cause)
		}
		r.Error = &Failure{kind, text.Clip(o.Message, maxMessage, cut)}
	}
	used := Spending(o.used())
	ev := Event{Kind: TaskFinished, Result: &r, Used: &used}
	switch {
	case len(o.Text) > maxInline:
		if _, err := a.batches.store.PutBlob(ctx, a.Batch, o.Text); err != nil {
			return ev, fmt.Errorf("store the patch of task %s of batch %s: %w", a.Task.ID, a.Batch, err)
		}
	case len(o.Text) > 0:
		ev.PatchText = o.Text
	}
	return ev, nil
}

// used returns what counts in the budget of the batch.
func (o Outcome) used() Budget {
	return Budget{
		Cost: o.CostUSD, InputTokens: o.Usage.Input, OutputTokens: o.Usage.Output, TotalTokens: o.Usage.Input + o.Usage.Output,
		ToolCalls: o.ToolCalls, Subagents: o.Subagents,
	}
}

func (a *Attempt) log() Log { return Log{Batch: a.Batch, Kind: TaskLog, Task: a.Task.ID} }

func (a *Attempt) append(ctx context.Context, ev Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.batches.append(ctx, a.Batch, a.state, ev)
	if errors.Is(err, ErrConflict) {
		return ErrFenced
	}
	if err != nil {
		return fmt.Errorf("store a %s of task %s of batch %s: %w", ev.Kind, a.Task.ID, a.Batch, err)
	}
	return nil
}
