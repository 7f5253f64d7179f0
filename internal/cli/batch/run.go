package batch

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/app/batches"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/worker"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/stream"
)

// runFlags is the command line of run.
type runFlags struct {
	taskFlags
	jobs   int
	out    string
	root   string
	asJSON bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run TASKS.jsonl|-", Short: "Run tasks in this process and print their results", Args: cli.ExactArgs("TASKS.jsonl"),
		Long: `Run tasks in this process, and print their results. Interrupted and run again, it continues: what
is done is not done again.

Exit codes: 0 all tasks done, 1 failed, 2 wrong command line or tasks file, 3 finished, and not all
tasks are done, 129, 130 or 143 ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM.`,
		Example: `  parley batch run tasks.jsonl -j 4 --repo . --out results`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.jobs < 1 {
				return fmt.Errorf("--jobs %d: want at least 1", f.jobs)
			}
			s, err := f.read(cmd, args[0])
			if err != nil {
				return err
			}
			return withBatches(stream.RoleHost, func(a *app.App, b *batch.Batches, cmd *cobra.Command, _ []string) error { return run(a, b, cmd, f, s) })(cmd, args)
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.IntVarP(&f.jobs, "jobs", "j", 1, "how many tasks run at the same time")
	flags.StringVar(&f.out, "out", "", "folder for results and patches, as of batch results")
	flags.StringVar(&f.root, "root", "", "folder for clones and worktrees (default: beside the state folder)")
	flags.BoolVar(&f.asJSON, "json", false, "print lines of JSON: the state while tasks run, then the results")
	return cmd
}

func run(a *app.App, b *batch.Batches, cmd *cobra.Command, f runFlags, s batch.Submission) error {
	if f.model == provider.DemoModel {
		a.Models.SetDefault(f.model) // it is meant, and reports nothing
	}
	stop := cli.NotifyStop()
	ctx, cancel := cancelledBy(cmd.Context(), stop)
	defer cancel()
	if err := a.Join(ctx); err != nil {
		return err
	}
	id, err := ownQueue(ctx, b, s)
	if err != nil {
		return err
	}
	state, err := b.Load(ctx, id)
	if err != nil {
		return err
	}
	bar := newProgress(cmd, f.asJSON)
	o := batches.WorkerOptions(a, b)
	o.Slots, o.Queues = f.jobs, []string{state.Definition.Queue}
	o.Log = slog.New(slog.NewTextHandler(bar, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if f.root != "" {
		if o.Root, err = filepath.Abs(f.root); err != nil {
			return err
		}
	}
	r, err := runWorker(ctx, b, id, bar, o)
	if signal, ok := stop.Signal().(syscall.Signal); ok && !r.Finished {
		return &cli.ExitError{Code: 128 + int(signal), Err: fmt.Errorf("interrupted after %d of %d tasks; run the command again to continue", r.Ended(), r.Tasks)}
	}
	if err != nil {
		return err
	}
	if state, err = b.Load(context.WithoutCancel(ctx), id); err != nil {
		return err
	}
	if f.out != "" {
		if err := writeResults(context.WithoutCancel(ctx), a, b, state, f.out, false); err != nil {
			return err
		}
	}
	if err := printResults(context.WithoutCancel(ctx), b, cmd, state, f.asJSON); err != nil {
		return err
	}
	return exitOf(r)
}

// ownQueue submits tasks to a queue of their own, so that no other worker takes them, unless they were submitted before.
func ownQueue(ctx context.Context, b *batch.Batches, s batch.Submission) (string, error) {
	id, err := s.BatchID()
	if err != nil {
		return "", err
	}
	if _, err := b.Load(ctx, id); err != nil {
		s.Queue = id
	}
	submitted, err := b.Submit(ctx, s)
	return submitted.Batch, err
}

// runWorker runs a worker until the batch is finished or ctx ends.
func runWorker(ctx context.Context, b *batch.Batches, id string, bar *progress, o worker.Options) (batch.Report, error) {
	working, done := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() {
		defer done() // a worker that fails ends the wait
		failed = worker.Run(working, o)
	})
	r, err := bar.follow(working, b, id)
	done()
	wg.Wait()
	if failed != nil {
		return r, failed
	}
	if ctx.Err() == nil && !r.Finished {
		return r, err
	}
	return r, nil
}
