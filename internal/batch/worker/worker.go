package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// Options are what a worker needs. Those without a default are required.
type Options struct {
	Batches *batch.Batches
	Host    *engine.Host
	Toolset []engine.Binding
	Env     func(dir string) (*tool.Env, error) // of verification commands
	Spawner *sandbox.Spawner
	Environ []string // of git
	Trusts  func(dir string) bool
	Root    string // the folder for clones and worktrees; absolute

	ID       string            // default: made up
	Slots    int               // how many tasks run at once; default: 1
	Queues   []string          // default: batch.DefaultQueue
	Labels   map[string]string // that tasks can require
	Repos    []string          // patterns of the repositories whose tasks it runs; nil: all
	Drain    time.Duration     // how long tasks that run may take after the worker was asked to end
	IdleExit time.Duration     // the worker ends when it had no task for so long; 0: it waits
	Once     bool              // it ends after one task
	Observer Observer          // nil: there is none
	Log      *slog.Logger
}

// errors that end an attempt.
var (
	errCancelled = errors.New("the task was cancelled")
	errDrained   = errors.New("the worker was asked to end")
	errTimeout   = errors.New("the task took too long")
)

// NewID returns an id for a worker.
func NewID() string {
	id := make([]byte, 4)
	_, _ = rand.Read(id) // never fails
	return "h-" + hex.EncodeToString(id)
}

// A worker is a worker that runs.
type worker struct {
	Options
	self  batch.Worker
	sites *sites
	pause pause

	stop <-chan struct{} // closed when the worker is asked to end
	kill context.Context // ends when tasks have to be given back

	mu      sync.Mutex // guards the rest
	running int
	ran     int
	idle    time.Time // since when nothing runs
}

// Run runs tasks until ctx ends, or until IdleExit or Once say so. Then it pulls no more, waits for Drain for the tasks that run, and
// gives those back which are not finished.
func Run(ctx context.Context, o Options) error {
	o.ID, o.Slots = cmp.Or(o.ID, NewID()), max(1, o.Slots)
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	if len(o.Queues) == 0 {
		o.Queues = []string{batch.DefaultQueue}
	}
	accepts, err := acceptor(o.Repos)
	if err != nil {
		return err
	}
	kill, endKill := context.WithCancelCause(context.WithoutCancel(ctx))
	defer endKill(nil)
	w := &worker{
		Options: o, self: batch.Worker{ID: o.ID, Labels: o.Labels, Accepts: accepts}, stop: ctx.Done(), kill: kill, idle: time.Now(),
		sites: &sites{root: filepath.Clean(o.Root), spawner: o.Spawner, environ: o.Environ, trusts: o.Trusts},
		pause: pause{folder: filepath.Clean(o.Root)},
	}
	if err := w.sites.prepare(); err != nil {
		return err
	}
	w.sweep(ctx)
	defer w.sweep(context.WithoutCancel(ctx))
	slots := make(chan struct{}, o.Slots)
	var tasks sync.WaitGroup
	err = w.pull(ctx, slots, &tasks)
	if ctx.Err() != nil {
		drain := time.AfterFunc(o.Drain, func() { endKill(errDrained) })
		defer drain.Stop()
		err = nil
	}
	tasks.Wait()
	return err
}

// pull starts a task for each free slot.
func (w *worker) pull(ctx context.Context, slots chan struct{}, tasks *sync.WaitGroup) error {
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		d, err := w.next(ctx)
		if err != nil || d == nil {
			return err
		}
		tasks.Go(func() {
			defer func() { <-slots }()
			w.serve(d)
		})
		if w.Once {
			tasks.Wait()
			if w.count() > 0 {
				return nil
			}
		}
	}
}

// next pulls a task; nil: there was none for IdleExit.
func (w *worker) next(ctx context.Context) (batch.Delivery, error) {
	for failures := 0; ; {
		if err := w.pause.wait(ctx, w.Log); err != nil {
			return nil, err
		}
		within, cancel := w.untilIdle(ctx)
		d, err := w.Batches.Store().Pull(within, w.Queues)
		idle := within.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			return d, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, batch.ErrClosed):
			return nil, err
		case idle:
			if w.isIdle() {
				return nil, nil
			}
			continue
		}
		failures++
		w.Log.Warn("no task can be pulled", "error", err)
		if failures > maxFailures {
			return nil, fmt.Errorf("pull a task: %w", err)
		}
		w.pause.failed()
	}
}

// maxFailures is how often in a row the store may fail.
const maxFailures = 10

// untilIdle returns a context that ends when the worker may be idle for too long.
func (w *worker) untilIdle(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.IdleExit <= 0 {
		return context.WithCancel(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wait := w.IdleExit
	if w.running == 0 {
		wait = max(time.Millisecond, time.Until(w.idle.Add(w.IdleExit)))
	}
	return context.WithTimeout(ctx, wait)
}

func (w *worker) isIdle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running == 0 && time.Since(w.idle) >= w.IdleExit
}

func (w *worker) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ran
}

// retryPull is how long a task is left whose log could not be read.
const retryPull = 5 * time.Second

// serve decides about a task that was pulled, and runs it.
func (w *worker) serve(d batch.Delivery) {
	ctx := w.kill
	a, err := w.Batches.Claim(ctx, d, w.self)
	if err != nil {
		w.Log.Warn("a task is left for later", "batch", d.Ref().Batch, "task", d.Ref().Task, "error", err)
		if err := d.Nak(context.WithoutCancel(ctx), retryPull); err != nil {
			w.Log.Debug("the task comes again when its time is over", "error", err)
		}
		return
	}
	if a == nil {
		return
	}
	if a.Recovered {
		w.sweep(ctx)
	}
	w.mu.Lock()
	w.running++
	w.mu.Unlock()
	w.run(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.ran++
	w.idle = time.Now()
}

// sweep removes the folders of processes that have ended.
func (w *worker) sweep(ctx context.Context) {
	if n, err := w.sites.sweep(ctx); n > 0 || err != nil {
		w.Log.Info("leftover worktrees removed", "count", n, "error", err)
	}
}
