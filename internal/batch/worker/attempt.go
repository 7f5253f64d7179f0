package worker

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"parley.dev/parley/internal/batch"
)

const (
	// setupLimit is how long the folder of a task may take to be made.
	setupLimit = 30 * time.Minute
	// storeLimit is how long a result may take to be stored.
	storeLimit = time.Minute
	// extensions is how often a task is extended within the time in which it is not delivered again.
	extensions = 3
)

// run runs an attempt from its folder to its result.
func (w *worker) run(a *batch.Attempt) {
	log := w.Log.With("batch", a.Batch, "task", a.Task.ID, "attempt", a.Number)
	log.Info("task started")
	w.Observer.AttemptBegun()
	ctx, cancel := context.WithCancelCause(w.kill)
	stop := w.watch(ctx, a, cancel)
	o, place := w.work(ctx, a)
	stop() // before the result: the methods of an attempt are called one after the other
	outcome, err := w.store(ctx, a, o)
	cancel(nil)
	if place != nil {
		if err := place.tree.Close(); err != nil {
			log.Warn("a worktree is left", "error", err)
		}
	}
	switch {
	case errors.Is(err, batch.ErrFenced):
		log.Warn("the result is dropped: the task went on elsewhere")
	case err != nil:
		log.Error("the result could not be stored: the task is run again", "error", err)
	}
	w.Observer.AttemptEnded(outcome)
}

// watch extends the task, and ends the attempt when it is cancelled or when another worker has it. stop ends the goroutines and
// waits for them.
func (w *worker) watch(ctx context.Context, a *batch.Attempt, end context.CancelCauseFunc) (stop func()) {
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		ticker := time.NewTicker(w.Batches.Store().Visibility() / extensions)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := a.Extend(watching); errors.Is(err, batch.ErrFenced) {
					end(err)
				} else if err != nil && watching.Err() == nil {
					w.Log.Warn("a task was not extended", "task", a.Task.ID, "error", err)
				}
			case <-watching.Done():
				return
			}
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		if a.AwaitCancel(watching) == nil {
			end(errCancelled)
		}
	}()
	return func() {
		cancel()
		<-done
		<-done
	}
}

// work makes the folder of the attempt and runs the task in it. The caller closes the folder after the result is stored; nil: there is
// none.
func (w *worker) work(ctx context.Context, a *batch.Attempt) (batch.Outcome, *site) {
	making, cancel := context.WithTimeoutCause(ctx, setupLimit, errTimeout)
	place, err := w.sites.open(making, a)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			return interrupted(ctx), nil
		}
		if errors.Is(err, syscall.ENOSPC) {
			w.pause.failed()
		}
		return batch.Outcome{Status: batch.Failed, Cause: batch.CauseSetup, Message: err.Error()}, nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(a.Task.Timeout), errTimeout)
	defer cancel()
	o := w.runSession(limited, a, place)
	if o.Status == batch.Done {
		w.verify(limited, a, place, &o)
	}
	w.capture(limited, place, &o)
	switch {
	case o.Cause == batch.CauseProvider:
		w.pause.failed()
	case o.Status == batch.Done:
		w.pause.succeeded()
	}
	return o, place
}

// store ends the attempt, and returns how.
func (w *worker) store(ctx context.Context, a *batch.Attempt, o batch.Outcome) (AttemptOutcome, error) {
	cause := context.Cause(ctx)
	if errors.Is(cause, batch.ErrFenced) {
		return Fenced, cause
	}
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if o.Status == batch.Queued {
		w.Log.Info("task given back", "batch", a.Batch, "task", a.Task.ID)
		return endOf(Returned, a.GiveBack(storing, o))
	}
	ended, err := a.Finish(storing, o)
	if err == nil {
		w.Log.Info("task ended", "batch", a.Batch, "task", a.Task.ID, "status", ended.Status, "again_in", ended.Delay, "reason", o.Message)
	}
	if ended.Status == batch.Queued {
		return endOf(Again, err)
	}
	return endOf(AttemptOutcome(ended.Status), err)
}

// interrupted returns the outcome of an attempt whose context has ended. Queued says that the task is given back.
func interrupted(ctx context.Context) batch.Outcome {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		return batch.Outcome{Status: batch.TimedOut, Message: "the task took too long"}
	case errors.Is(cause, errCancelled):
		return batch.Outcome{Status: batch.Cancelled, Message: "the task was cancelled"}
	default:
		return batch.Outcome{Status: batch.Queued, Message: fmt.Sprint(cause)}
	}
}
