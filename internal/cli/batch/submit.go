package batch

import (
	"fmt"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/stream"
)

func submitCommand() *cobra.Command {
	var f taskFlags
	var wait, asJSON bool
	cmd := &cobra.Command{
		Use: "submit TASKS.jsonl|-", Short: "Store tasks for workers", Args: cli.ExactArgs("TASKS.jsonl"),
		Long: `Store tasks for workers. The same file with the same flags is the same batch: submitted again,
what is missing is stored and nothing runs twice, so a submission that was interrupted is
finished by running the command again.

Exit codes: 0 stored, or with --wait all tasks done, 1 failed, 2 wrong command line or tasks file
(then nothing is stored), 3 with --wait: finished, and not all tasks are done.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.read(cmd, args[0])
			if err != nil {
				return err
			}
			return withBatches(stream.RoleSubmitter, func(_ *app.App, b *batch.Batches, cmd *cobra.Command, _ []string) error {
				return submit(b, cmd, s, wait, asJSON)
			})(cmd, args)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.queue, "queue", "", "queue of the workers (default: default)")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until all tasks are finished")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print lines of JSON")
	return cmd
}

func submit(b *batch.Batches, cmd *cobra.Command, s batch.Submission, wait, asJSON bool) error {
	ctx, cancel := cancelledBy(cmd.Context(), cli.NotifyStop())
	defer cancel()
	submitted, err := b.Submit(ctx, s)
	if err != nil {
		return err
	}
	if err := printSubmitted(cmd, submitted, asJSON); err != nil || !wait {
		return err
	}
	r, err := watch(ctx, b, cmd, submitted.Batch, asJSON)
	if err != nil {
		return err
	}
	return exitOf(r)
}

func printSubmitted(cmd *cobra.Command, s batch.Submitted, asJSON bool) error {
	if asJSON {
		return printLine(cmd, s)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "batch %s: %s, %d new\n", s.Batch, cli.Counted(s.Tasks, "task"), s.New)
	return err
}
