package dialecttest

import (
	"io"
	"log/slog"
	"strings"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// A Process is what a command has to work with: a real journal, a real sandbox and real tools.
type Process struct {
	Env     []string
	Getenv  func(name string) string
	Log     *slog.Logger
	Spawner *sandbox.Spawner
	store   *file.Store
}

// Open is a process with this environment. Close it.
func Open(env []string, stderr io.Writer) (*Process, error) {
	getenv := Getenv(env)
	store, err := file.Open(getenv("PARLEY_HOME"), file.Options{})
	if err != nil {
		return nil, err
	}
	return &Process{env, getenv, slog.New(slog.NewTextHandler(stderr, nil)), sandbox.NewSpawner(sandbox.Options{}), store}, nil
}

// Close ends what was started.
func (p *Process) Close() {
	p.Spawner.Close()
	p.store.Close()
}

// Config is an engine with these models, and the budget that the environment has. Furnish adds
// to what tools have; nil: nothing.
func (p *Process) Config(models engine.Models, furnish func(*tool.Env)) engine.Config {
	limits, err := budget.Parse(p.Getenv("PARLEY_BUDGET"))
	if err != nil && p.Getenv("PARLEY_BUDGET") != "" {
		panic(err) // a test that is wrong
	}
	return engine.Config{
		Budget: engine.NewBudget(limits),
		Store:  p.store, Models: models, Tools: tool.ByName, Log: p.Log,
		Env: func(workspace string) (*tool.Env, error) {
			w, err := tool.OpenWorkspace(workspace, p.Getenv("PARLEY_HOME"))
			if err != nil {
				return nil, err
			}
			env := &tool.Env{Workspace: w, Spawner: p.Spawner, Environ: p.Env}
			if furnish != nil {
				furnish(env)
			}
			return env, nil
		},
	}
}

// Getenv looks names up in an environment, in which the last setting wins.
func Getenv(env []string) func(name string) string {
	return func(name string) string {
		value := ""
		for _, setting := range env {
			if v, ok := strings.CutPrefix(setting, name+"="); ok {
				value = v
			}
		}
		return value
	}
}
