package main

import (
	"context"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/task"
	"parley.dev/parley/internal/tool"
)

// tools finds tools by our names of them, also those that need more of the program than others.
func (a *app) tools() func(name string) (tool.Tool, bool) {
	more := map[string]tool.Tool{}
	for _, t := range []tool.Tool{task.New(task.Options{Agents: a.findAgents, Trees: a.trees}), task.Submit()} {
		more[t.Name()] = t
	}
	return func(name string) (tool.Tool, bool) {
		if t, ok := more[name]; ok {
			return t, true
		}
		return tool.ByName(name)
	}
}

// projectAgents is where a project has agents, whatever the dialect.
var projectAgents = filepath.Join(".parley", "agents")

// findAgents is the agents that there are in a folder, and the folder of the project's own.
func (a *app) findAgents(dir string) (agents []definition.Definition, project string) {
	places := definition.Places{User: append(a.agents.User, filepath.Join(a.settings.Home, "agents"))}
	for _, name := range append(a.agents.Project, projectAgents) {
		folder := filepath.Join(dir, name)
		places.Project = append(places.Project, folder)
		if info, err := os.Stat(folder); err == nil && info.IsDir() && project == "" {
			project = folder
		}
	}
	agents, errs := definition.Find(places)
	for _, text := range errs {
		a.log.Warn("agent not read", "error", text)
	}
	return agents, project
}

// sweep removes the copies that killed processes have left, beside everything else.
func (a *app) sweep(ctx context.Context) {
	a.sweeping.Go(func() {
		if n, err := a.trees.Sweep(ctx); n > 0 || err != nil {
			a.log.Info("leftover copies removed", "count", n, "error", err)
		}
	})
}
