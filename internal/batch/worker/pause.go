package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// minFree is how much space of the disk a worker leaves free, in bytes.
	minFree = 256 << 20
	// fullWait is how long it waits for more.
	fullWait = 10 * time.Second
	// firstPause and maxPause bound how long a worker pulls no task after a model could not be called.
	firstPause = 5 * time.Second
	maxPause   = time.Minute
)

// A pause slows a worker down: while the disk is full, and after a provider has refused a task for now.
type pause struct {
	folder string

	mu       sync.Mutex // guards the rest
	until    time.Time
	failures int // in a row
}

// failed makes the worker wait, each time longer.
func (p *pause) failed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Now().Add(min(maxPause, firstPause<<min(p.failures, 4)))
	p.failures++
}

// succeeded ends the pause.
func (p *pause) succeeded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until, p.failures = time.Time{}, 0
}

func (p *pause) rest() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.until)
}

// wait waits until the worker may take another task. The error is that of ctx.
func (p *pause) wait(ctx context.Context, log *slog.Logger) error {
	for warned := false; ; {
		wait := p.rest()
		if isFull(p.folder) {
			wait = max(wait, fullWait)
			if !warned {
				log.Warn("no task is taken: the disk is nearly full", "folder", p.folder)
			}
			warned = true
		}
		if wait <= 0 {
			return ctx.Err()
		}
		select {
		case <-time.After(min(wait, fullWait)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isFull reports whether there is too little space for another task.
func isFull(folder string) bool {
	free, err := freeSpace(folder)
	return err == nil && free < minFree // without it the task finds out
}
