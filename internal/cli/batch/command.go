// Package batch is the commands for batches of tasks.
package batch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/app/batches"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cli"
)

// Command returns the command batch.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "batch", Short: "Run many tasks, each in a session and a worktree of its own",
		Long: `Run many tasks, each in a session and a worktree of its own. A task is a line of a file:

  {"id":"tax-17","prompt":"Fix the rounding in tax.go","repo":"/srv/repos/shop","verify":["go test ./..."]}

"parley batch run" does everything in one process. "parley batch submit" stores the tasks for
any number of "parley worker" processes.`,
		Example: `  parley batch run tasks.jsonl -j 4 --out results
  parley batch submit tasks.jsonl --wait
  parley batch status 3fa9c1d2e4b5 --tasks --state failed
  parley batch results 3fa9c1d2e4b5 --out results`,
	}
	cmd.AddCommand(runCommand(), submitCommand(), statusCommand(), resultsCommand(), listCommand(), cancelCommand(), retryCommand(), removeCommand())
	for _, sub := range cmd.Commands() {
		cli.AddStoreFlags(sub.Flags())
	}
	return cmd
}

// withBatches runs a command that needs the store of batches. A role of a shared store is enough to run it.
func withBatches(role string, run func(a *app.App, b *batch.Batches, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return cli.WithStore(role, func(a *app.App, cmd *cobra.Command, args []string) error {
		store, err := batches.Open(a)
		if err != nil {
			return err
		}
		return errors.Join(run(a, batch.New(store), cmd, args), store.Close())
	})
}

// printLine prints a value as one line of JSON.
func printLine(cmd *cobra.Command, v any) error {
	line, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return cli.Display(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", line)
		return err
	})
}

// exitOf returns how a command ends that has waited for a batch: ExitUnfinished if not all tasks are done.
func exitOf(r batch.Report) error {
	switch {
	case !r.Finished:
		return &cli.ExitError{Code: cli.ExitWaiting}
	case !r.AllDone():
		return &cli.ExitError{Code: cli.ExitUnfinished}
	}
	return nil
}

// cancelledBy returns a context that ends at the first signal that asks the process to end.
func cancelledBy(ctx context.Context, stop cli.Stop) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-stop.Asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
