package worker

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/subagent/verify"
	"parley.dev/parley/internal/tool"
)

// captureLimit is how long the changes of a task may take to be captured after its time is over.
const captureLimit = time.Minute

// verify runs the verification commands of a task, confined as its session was.
func (w *worker) verify(ctx context.Context, a *batch.Attempt, place *site, o *batch.Outcome) {
	if len(a.Task.Verify) == 0 {
		return
	}
	env, err := w.Env(place.dir)
	if err != nil {
		o.Status, o.Cause, o.Message = batch.Failed, batch.CauseSetup, err.Error()
		return
	}
	defer env.Workspace.Close()
	confine, err := env.PolicyIn(place.dir, sandboxOf(a.Task))
	if err != nil {
		o.Status, o.Cause, o.Message = batch.Failed, batch.CauseSetup, err.Error()
		return
	}
	caches := &tool.Caches{Spawner: w.Spawner}
	defer caches.Close() //nolint:errcheck // what is left is removed with the process
	var commands []verify.Command
	for _, line := range a.Task.Verify {
		commands = append(commands, verify.Command{Name: line, Line: line})
	}
	runner := verify.Runner{Spawner: w.Spawner, Environ: caches.Add(sandbox.WithVariables(env.Environ, variables(a)), confine), Confine: confine, Dir: place.dir}
	attempt := runner.Attempt(ctx, 1, commands)
	for _, c := range attempt.Commands {
		o.Verify = append(o.Verify, batch.Verification{Command: c.Command, Exit: c.ExitCode, Output: c.Preview})
	}
	failed := verify.Failed(attempt)
	switch {
	case ctx.Err() != nil:
		ended := interrupted(ctx)
		o.Status, o.Message = ended.Status, ended.Message
	case len(failed) > 0:
		o.Status, o.Cause, o.Message = batch.Failed, batch.CauseVerify, "the verification failed: "+strings.Join(failed, ", ")
	case len(attempt.Commands) < len(commands):
		o.Status, o.Cause, o.Message = batch.Failed, batch.CauseVerify, cmp.Or(attempt.Error, "the verification was not finished")
	}
}

// capture adds the changes of the task to its outcome, also of one that failed or took too long.
func (w *worker) capture(ctx context.Context, place *site, o *batch.Outcome) {
	if o.Status == batch.Queued {
		return // the next attempt begins anew
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), captureLimit)
		defer cancel()
	}
	if err := capture(ctx, place, o); err != nil && o.Status == batch.Done {
		o.Status, o.Cause, o.Message = batch.Failed, batch.CauseSetup, err.Error()
	}
}

func capture(ctx context.Context, place *site, o *batch.Outcome) error {
	delta, err := place.tree.Capture(ctx)
	if err != nil || delta.Empty() {
		return err
	}
	if len(delta.Patches) > 1 || delta.Outer() == nil {
		return fmt.Errorf("files of nested repositories were changed, which one patch cannot hold")
	}
	files, err := delta.Files(ctx)
	if err != nil {
		return err
	}
	o.Text = delta.Outer()
	o.Patch = &batch.Patch{Bytes: len(o.Text), SHA256: batch.Address(o.Text)}
	for _, f := range files {
		o.Patch.Files = append(o.Patch.Files, batch.FileChange{Path: f.Path, Op: f.Op, Added: f.Added, Removed: f.Removed})
	}
	return nil
}
