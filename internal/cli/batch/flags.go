package batch

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/regular"
)

// taskFlags is what submit and run have in common: a batch, and the defaults of its tasks.
type taskFlags struct {
	id, queue          string
	attempts           int
	timeout            time.Duration
	budget, taskBudget string
	repo, ref          string
	model, backend     string
	sandbox            string
}

func (f *taskFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.id, "batch", "", "id of the batch (default: made of its tasks, so that the same file is the same batch)")
	flags.IntVar(&f.attempts, "attempts", batch.DefaultAttempts, "how often a task is tried")
	flags.DurationVar(&f.timeout, "timeout", batch.DefaultTimeout, "how long an attempt may take")
	flags.StringVar(&f.budget, "budget", "", "limits of all tasks together, such as cost=20,tool_calls=5000")
	flags.StringVar(&f.taskBudget, "task-budget", "", "limits of each task, such as cost=0.50,tool_calls=100")
	flags.StringVar(&f.repo, "repo", "", "folder or URL of the repository that tasks work in")
	flags.StringVar(&f.ref, "ref", "", "revision that tasks begin at (default: the repository's HEAD)")
	flags.StringVarP(&f.model, "model", "m", "", "provider/model-id (default: that of the worker)")
	flags.StringVar(&f.backend, "backend", "", "agent of the worker's configuration that runs the turns")
	flags.StringVar(&f.sandbox, "sandbox", batch.DefaultSandbox, "what commands of tasks may change: read-only, workspace-write or full-access")
	cli.SetChoices(flags, "sandbox", cli.SandboxWords...)
}

// read reads the tasks file of a command line. Its errors are those of the command line, and all have the exit code 2.
func (f *taskFlags) read(cmd *cobra.Command, path string) (batch.Submission, error) {
	s := batch.Submission{ID: f.id, Queue: f.queue}
	if f.attempts < 1 {
		return s, fmt.Errorf("--attempts %d: want at least 1", f.attempts)
	}
	if f.timeout < time.Second {
		return s, fmt.Errorf("--timeout %s: want at least 1s", f.timeout)
	}
	dir, err := os.Getwd()
	if err != nil {
		return s, cli.Failed(err)
	}
	d := batch.Defaults{
		Repo: f.repo, Ref: f.ref, Model: f.model, Backend: f.backend, Sandbox: f.sandbox, Dir: dir, Timeout: f.timeout, Attempts: f.attempts,
	}
	if d.Budget, err = batch.ParseBudget(f.taskBudget); err != nil {
		return s, fmt.Errorf("--task-budget: %w", err)
	}
	if s.Budget, err = batch.ParseBudget(f.budget); err != nil {
		return s, fmt.Errorf("--budget: %w", err)
	}
	in, name := cmd.InOrStdin(), "standard input"
	if path != "-" {
		file, err := regular.Open(path)
		if err != nil {
			return s, cli.Failed(err)
		}
		defer file.Close()
		in, name = io.Reader(file), filepath.Base(path)
	}
	if s.Tasks, err = batch.Parse(in, d); err != nil {
		return s, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%s: nothing was submitted\n%w", name, err)}
	}
	if err := s.Check(); err != nil {
		return s, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%s: nothing was submitted: %w", name, err)}
	}
	return s, nil
}
