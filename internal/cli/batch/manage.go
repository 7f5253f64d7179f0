package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/stream"
)

// listedBatch is a batch in the output of list --json.
type listedBatch struct {
	batch.Report
	Queue   string    `json:"queue"`
	Created time.Time `json:"created"`
}

func listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List batches", Args: cli.ExactArgs(),
		RunE: withBatches(stream.RoleSubmitter, func(_ *app.App, b *batch.Batches, cmd *cobra.Command, _ []string) error {
			found, err := b.List(cmd.Context())
			if err != nil {
				return err
			}
			list := []listedBatch{}
			for _, l := range found {
				s, err := b.Load(cmd.Context(), l.Batch)
				if errors.Is(err, batch.ErrNotFound) {
					continue // it was removed meanwhile
				}
				if err != nil {
					return err
				}
				list = append(list, listedBatch{s.Report(time.Now()), l.Queue, l.Created})
			}
			if asJSON {
				return cli.PrintJSON(cmd, map[string]any{"batches": list})
			}
			t := cli.NewTable(cmd.OutOrStdout(), "BATCH", "SUBMITTED", "TASKS", "DONE", "FAILED", "RUNNING", "QUEUED", "COST")
			for _, l := range list {
				t.Row(l.Batch, l.Created.Local().Format(time.DateTime), l.Tasks, l.Done, l.Ended()-l.Done, l.Running, l.Queued, dollars(l.CostUSD))
			}
			return t.Print()
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func cancelCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "cancel ID [TASK…]", Short: "Cancel tasks of a batch, or all that are not finished", Args: cli.RequireArgs("ID"),
		RunE: withBatches(stream.RoleSubmitter, func(_ *app.App, b *batch.Batches, cmd *cobra.Command, args []string) error {
			n, err := b.Cancel(cmd.Context(), args[0], args[1:])
			if err != nil {
				return err
			}
			return printCount(cmd, args[0], "cancelled", n, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func retryCommand() *cobra.Command {
	var failed, dead, asJSON bool
	cmd := &cobra.Command{
		Use: "retry ID [TASK…]", Short: "Run finished tasks of a batch again, with all their attempts", Args: cli.RequireArgs("ID"),
		Long: `Run finished tasks of a batch again, with all their attempts: those that are named, else all
that failed, took too long, had no budget or are dead.`,
		PreRunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 && (failed || dead) || failed && dead {
				return errors.New("TASK, --failed and --dead exclude each other")
			}
			return nil
		},
		RunE: withBatches(stream.RoleSubmitter, func(_ *app.App, b *batch.Batches, cmd *cobra.Command, args []string) error {
			n, err := b.Retry(cmd.Context(), args[0], args[1:], retried(failed, dead))
			if err != nil {
				return err
			}
			return printCount(cmd, args[0], "retried", n, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&failed, "failed", false, "only tasks that failed, took too long or had no budget")
	cmd.Flags().BoolVar(&dead, "dead", false, "only tasks that used up their attempts")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// retried returns the statuses that the flags of retry name.
func retried(failed, dead bool) []batch.Status {
	var statuses []batch.Status
	if !dead {
		statuses = append(statuses, batch.Failed, batch.NoBudget, batch.TimedOut)
	}
	if !failed {
		statuses = append(statuses, batch.Dead)
	}
	return statuses
}

func removeCommand() *cobra.Command {
	var withSessions bool
	cmd := &cobra.Command{
		Use: "rm ID", Short: "Remove a finished batch with its results", Args: cli.ExactArgs("ID"),
		RunE: withBatches(stream.RoleHost, func(a *app.App, b *batch.Batches, cmd *cobra.Command, args []string) error {
			s, err := b.Load(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if withSessions {
				if err := removeSessions(cmd.Context(), a, s); err != nil {
					return err
				}
			}
			return b.Remove(cmd.Context(), args[0])
		}),
	}
	cmd.Flags().BoolVar(&withSessions, "sessions", false, "remove the sessions of its tasks, too")
	return cmd
}

// removeSessions removes the sessions of all attempts of a finished batch.
func removeSessions(ctx context.Context, a *app.App, s *batch.State) error {
	if r := s.Report(time.Now()); r.Running > 0 {
		return fmt.Errorf("%w: %s has %d running tasks", batch.ErrUnfinished, r.Batch, r.Running)
	}
	for _, t := range s.Sorted() {
		for n := 1; n <= t.Attempt; n++ {
			id := event.SessionID(batch.Session(s.Definition.Batch, t.ID, n))
			if err := a.Host.Remove(ctx, id); err != nil && !errors.Is(err, engine.ErrNoSession) {
				return err
			}
		}
	}
	return nil
}

// printCount prints how many tasks a command was about.
func printCount(cmd *cobra.Command, id, what string, n int, asJSON bool) error {
	if asJSON {
		return printLine(cmd, map[string]any{"batch": id, what: n})
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "batch %s: %s %s\n", id, cli.Counted(n, "task"), what)
	return err
}
