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
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/text"
)

// statusFlags is the command line of status.
type statusFlags struct {
	watch, tasks, asJSON bool
	state                string
}

func statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use: "status ID", Short: "Show how far a batch is", Args: cli.ExactArgs("ID"),
		Long: `Show how far a batch is.

Exit codes: 0 all tasks are done, 1 failed, 2 wrong command line, 3 finished, and not all tasks are
done, 4 not finished.`,
		PreRunE: func(*cobra.Command, []string) error {
			if f.state == "" {
				return nil
			}
			if _, err := batch.ParseStatus(f.state); err != nil {
				return fmt.Errorf("--state: %w", err)
			}
			f.tasks = true
			return nil
		},
		RunE: withBatches(stream.RoleSubmitter, func(_ *app.App, b *batch.Batches, cmd *cobra.Command, args []string) error {
			return status(b, cmd, args[0], f)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.watch, "watch", false, "show the progress until the batch is finished")
	flags.BoolVar(&f.tasks, "tasks", false, "list the tasks")
	flags.StringVar(&f.state, "state", "", "list only tasks of this state, such as failed")
	flags.BoolVar(&f.asJSON, "json", false, "print lines of JSON")
	var words []string
	for _, s := range batch.Statuses {
		words = append(words, string(s))
	}
	cli.SetChoices(flags, "state", words...)
	return cmd
}

func status(b *batch.Batches, cmd *cobra.Command, id string, f statusFlags) error {
	ctx, cancel := cancelledBy(cmd.Context(), cli.NotifyStop())
	defer cancel()
	if f.watch {
		if _, err := watch(ctx, b, cmd, id, f.asJSON); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	s, err := b.Load(context.WithoutCancel(ctx), id)
	if err != nil {
		return err
	}
	r := s.Report(time.Now())
	switch {
	case f.tasks:
		err = printTasks(cmd, s, batch.Status(f.state), f.asJSON)
	case f.asJSON && !f.watch:
		err = printLine(cmd, r)
	case !f.asJSON:
		err = printReport(cmd, s, r)
	}
	if err != nil {
		return err
	}
	return exitOf(r)
}

func printReport(cmd *cobra.Command, s *batch.State, r batch.Report) error {
	t := cli.NewTable(cmd.OutOrStdout())
	t.Row("batch", r.Batch)
	t.Row("queue", s.Definition.Queue)
	t.Row("submitted", s.Created.Local().Format(time.DateTime))
	t.Row("tasks", r.Tasks)
	for _, row := range counts(r) {
		if row.n > 0 {
			t.Row(row.status, row.n)
		}
	}
	t.Row("cost", dollars(r.CostUSD))
	t.Row("tokens", fmt.Sprintf("%d in, %d out", r.Usage.Input, r.Usage.Output))
	if r.ETA != nil && !r.Finished {
		t.Row("remaining", shortDuration(time.Duration(*r.ETA)*time.Second))
	}
	return t.Print()
}

// A statusCount is how many tasks have a status.
type statusCount struct {
	status batch.Status
	n      int
}

func counts(r batch.Report) []statusCount {
	return []statusCount{
		{batch.Queued, r.Queued},
		{batch.Running, r.Running},
		{batch.Done, r.Done},
		{batch.Failed, r.Failed},
		{batch.NoBudget, r.NoBudget},
		{batch.TimedOut, r.TimedOut},
		{batch.Cancelled, r.Cancelled},
		{batch.Dead, r.Dead},
	}
}

func printTasks(cmd *cobra.Command, s *batch.State, only batch.Status, asJSON bool) error {
	t := cli.NewTable(cmd.OutOrStdout(), "TASK", "STATUS", "ATTEMPT", "COST", "TOOK", "ERROR")
	t.Fits = true
	for _, r := range s.TaskReports(only) {
		if asJSON {
			if err := printLine(cmd, r); err != nil {
				return err
			}
			continue
		}
		t.Row(r.Task, r.Status, r.Attempt, dollars(r.CostUSD), took(r.Started, r.Ended), failureText(r.Error))
	}
	if asJSON {
		return nil
	}
	return t.Print()
}

func failureText(f *batch.Failure) string {
	if f == nil {
		return ""
	}
	return f.Kind + ": " + text.Clip(text.OneLine(f.Message), 200, " …")
}

func took(started, ended *time.Time) string {
	switch {
	case started == nil:
		return ""
	case ended == nil:
		return shortDuration(time.Since(*started)) + " …"
	}
	return shortDuration(ended.Sub(*started))
}

func dollars(cost float64) string {
	if cost > 0 && cost < 0.01 {
		return fmt.Sprintf("$%.4f", cost)
	}
	return fmt.Sprintf("$%.2f", cost)
}

// shortDuration returns a duration with two units at most.
func shortDuration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}
