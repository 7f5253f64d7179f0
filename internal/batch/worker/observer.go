package worker

import (
	"errors"

	"parley.dev/parley/internal/batch"
)

// An Observer receives what a worker does, for metrics. Its methods return at once, and are called by several goroutines.
type Observer interface {
	// AttemptBegun reports that a slot is used.
	AttemptBegun()
	// AttemptEnded reports that it is free again.
	AttemptEnded(AttemptOutcome)
}

// An AttemptOutcome is how an attempt ended: the final status of its task, or one of these.
type AttemptOutcome string

// The outcomes after which the task is not finished.
const (
	Again    AttemptOutcome = "retry"    // it is tried again
	Returned AttemptOutcome = "returned" // the worker has ended
	Fenced   AttemptOutcome = "lost"     // the task went on elsewhere
	Unstored AttemptOutcome = "unstored" // the outcome could not be stored
)

// AttemptOutcomes returns all outcomes.
func AttemptOutcomes() (all []AttemptOutcome) {
	for _, s := range batch.Statuses {
		if s.Final() {
			all = append(all, AttemptOutcome(s))
		}
	}
	return append(all, Again, Returned, Fenced, Unstored)
}

// endOf returns the outcome of an attempt with the error of storing it.
func endOf(o AttemptOutcome, err error) (AttemptOutcome, error) {
	switch {
	case errors.Is(err, batch.ErrFenced):
		return Fenced, err
	case err != nil:
		return Unstored, err
	}
	return o, nil
}

// A noObserver ignores everything.
type noObserver struct{}

func (noObserver) AttemptBegun()               {}
func (noObserver) AttemptEnded(AttemptOutcome) {}
