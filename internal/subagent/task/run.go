package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tool"
)

// A run is a call that runs.
type run struct {
	*call
	hooks tool.Hooks
	start time.Time
	board *board
	jobs  []*job
}

// Run runs all tasks and waits for them: no subagent outlives the call. It starts one
// goroutine a task; as many work at the same time as the settings allow.
func (c *call) Run(ctx context.Context, hooks tool.Hooks) tool.Result {
	if c.refused != nil {
		return tool.Result{Text: c.refused.Error(), Tasks: &event.Tasks{ProjectAgents: c.project, Results: []event.TaskResult{}}}
	}
	r := &run{call: c, hooks: hooks, start: time.Now()}
	first := hooks.Subagents.Reserve(len(c.input.Tasks))
	var before chan struct{}
	for i, t := range c.input.Tasks {
		settled := make(chan struct{})
		r.jobs = append(r.jobs, &job{run: r, before: before, settled: sync.OnceFunc(func() { close(settled) }), result: event.TaskResult{Task: event.Task{
			Index: i, ID: fmt.Sprintf("%d-%s", first+i, plainID(t.ID)), Agent: c.agent.Name, Source: string(c.agent.Source),
			Text: c.prompt(t), Assignment: t.Assignment, Description: t.Description,
		}}})
		before = settled
	}
	r.board = newBoard(r)
	defer r.board.close()
	r.board.show(true)
	slots := make(chan struct{}, max(1, min(len(r.jobs), orAll(c.env.Tasks.Concurrency, len(r.jobs)))))
	var wg sync.WaitGroup
	for _, j := range r.jobs { // they begin in their order
		select {
		case slots <- struct{}{}:
			wg.Go(func() {
				defer func() { <-slots }()
				j.do(ctx)
			})
		case <-ctx.Done():
			j.do(ctx)
		}
	}
	wg.Wait()
	return r.finish(ctx)
}

func orAll(limit, all int) int {
	if limit <= 0 {
		return all
	}
	return limit
}

// plainID returns an id as a part of names of files and branches.
func plainID(id string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id), "-")
}

// prompt returns the whole prompt of a subagent.
func (c *call) prompt(t assignment) string {
	if strings.TrimSpace(c.input.Context) == "" {
		return t.Assignment
	}
	return "<context>\n" + strings.TrimSpace(c.input.Context) + "\n</context>\n\n" + t.Assignment
}

// finish brings back what was changed, and sums up.
func (r *run) finish(ctx context.Context) tool.Result {
	merged := r.merge(ctx)
	tasks := &event.Tasks{ProjectAgents: r.project, Results: []event.TaskResult{}, Ran: event.Duration(time.Since(r.start))}
	failed := 0
	for _, j := range r.jobs {
		tasks.Usage, tasks.Cost = tasks.Usage.Add(j.result.Usage), tasks.Cost+j.result.Cost
		if j.result.ExitCode != 0 {
			failed++
		}
		tasks.Results = append(tasks.Results, j.result)
	}
	return tool.Result{Text: r.summary(tasks, merged), Tasks: tasks, IsError: ctx.Err() != nil && failed > 0}
}

// merge brings the changes of the tasks that ended well to the project: as one patch, or
// as a branch each. What it returns is for the model.
func (r *run) merge(ctx context.Context) string {
	if !r.isolated() {
		return ""
	}
	const byHand = "<system-notification>Patches were not applied and must be handled manually.</system-notification>"
	var good []*job
	left := false
	for _, j := range r.jobs {
		switch {
		case j.delta.Empty():
		case j.result.ExitCode == 0:
			good = append(good, j)
		default:
			left = left || j.result.PatchPath != ""
		}
	}
	switch {
	case ctx.Err() != nil && (len(good) > 0 || left):
		return byHand
	case r.env.Tasks.Branches:
		return r.branches(ctx, good)
	case len(good) == 0 && left:
		return byHand
	case len(good) == 0 && !slices.ContainsFunc(r.jobs, func(j *job) bool { return j.result.ExitCode == 0 }):
		return ""
	}
	var deltas []worktree.Delta
	for _, j := range good {
		deltas = append(deltas, j.delta)
	}
	if err := r.Trees.Apply(ctx, deltas...); err != nil {
		return byHand + "\n" + err.Error()
	}
	if left {
		return "Applied patches: yes, but for those of the tasks that failed"
	}
	return "Applied patches: yes"
}

// branches makes a branch of each task's changes.
func (r *run) branches(ctx context.Context, good []*job) string {
	var text strings.Builder
	for _, j := range good {
		if j.delta.Outer() == nil {
			continue
		}
		name, err := r.Trees.Branch(ctx, j.delta, r.env.Tasks.BranchPrefix+j.result.ID, commitMessage(j.result.Task))
		if err != nil {
			fmt.Fprintf(&text, "<system-notification>There is no branch of %s: %v. Its patch must be handled manually.</system-notification>\n", j.result.ID, err)
			continue
		}
		j.result.Branch = name
		fmt.Fprintf(&text, "Branch of %s: %s\n", j.result.ID, name)
	}
	return strings.TrimRight(text.String(), "\n")
}

func commitMessage(t event.Task) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); line != "" {
		return line
	}
	return t.ID
}

// keep writes a file beside the session; "" where that is not possible.
func (r *run) keep(name string, data []byte) string {
	dir := r.hooks.Subagents.Folder()
	if dir == "" {
		return ""
	}
	path := filepath.Join(dir, name)
	if errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, data, 0o600)) != nil {
		return ""
	}
	return path
}
