package app

import (
	"context"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/task"
	"parley.dev/parley/internal/tool"
)

// tools returns a function that finds tools by name, also those that need more of the program than others.
func (a *App) tools() func(name string) (tool.Tool, bool) {
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

// projectAgents is the folder of agents in a project, whatever the dialect.
var projectAgents = filepath.Join(".parley", "agents")

// findAgents returns the agents for sessions in dir, and the folder of the project's own; "": it has none.
func (a *App) findAgents(dir string) (agents []definition.Definition, project string) {
	places := definition.Places{User: append(a.Agents.User, filepath.Join(a.Settings.Home, "agents"))}
	for _, name := range append(a.Agents.Project, projectAgents) {
		folder := filepath.Join(dir, name)
		places.Project = append(places.Project, folder)
		if info, err := os.Stat(folder); err == nil && info.IsDir() && project == "" {
			project = folder
		}
	}
	agents, errs := definition.Find(places)
	for _, text := range errs {
		a.Log.Warn("agent not read", "error", text)
	}
	return agents, project
}

// Sweep begins to remove the copies of folders that killed processes have left.
func (a *App) Sweep(ctx context.Context) {
	a.sweeping.Go(func() {
		if n, err := a.trees.Sweep(ctx); n > 0 || err != nil {
			a.Log.Info("leftover copies removed", "count", n, "error", err)
		}
	})
}
