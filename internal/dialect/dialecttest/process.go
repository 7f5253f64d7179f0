package dialecttest

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/task"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/workspace"
)

// A Process is what a command has to work with: a real journal, a real sandbox and real tools.
type Process struct {
	Env     []string
	Getenv  func(name string) string
	Log     *slog.Logger
	Spawner *sandbox.Spawner
	Agents  string // folder of agents in projects; "": there is none
	store   *file.Store
	pool    *mcp.Pool
}

// Open returns a process with this environment. Close it.
func Open(env []string, stderr io.Writer) (*Process, error) {
	getenv := Getenv(env)
	store, err := file.Open(getenv("PARLEY_HOME"), file.Options{})
	if err != nil {
		return nil, err
	}
	p := &Process{
		Env: env, Getenv: getenv, Log: slog.New(slog.NewTextHandler(stderr, nil)), store: store,
		Spawner: sandbox.NewSpawner(sandbox.Options{Sandbox: sandbox.Choice(getenv("PARLEY_SANDBOX"))}),
	}
	p.pool = mcp.New(mcp.Options{Spawner: p.Spawner, Environ: env, Log: p.Log, Version: "0.0.0-test"})
	return p, nil
}

// Close ends what was started.
func (p *Process) Close() {
	p.pool.Close()
	p.Spawner.Close()
	p.store.Close()
}

// Config returns an engine with these models, and the budget and subagents that the environment has. Furnish adds
// to what tools have; nil: nothing.
func (p *Process) Config(models engine.Models, furnish func(*tool.Env)) engine.Config {
	limits, err := budget.Parse(p.Getenv("PARLEY_BUDGET"))
	if err != nil && p.Getenv("PARLEY_BUDGET") != "" {
		panic(err) // a test that is wrong
	}
	var tasks *engine.TaskSettings
	if n, err := strconv.Atoi(p.Getenv("PARLEY_SUBAGENTS")); err == nil {
		tasks = &engine.TaskSettings{Concurrency: n, Depth: 1, Spawns: []string{"*"}}
	}
	return engine.Config{
		Connect: p.connect,
		Budget:  engine.NewBudget(engine.BudgetPlan{Limits: limits}), Tasks: tasks,
		Store: p.store, Models: models, Tools: p.findTool, Log: p.Log,
		Env: func(dir string) (*tool.Env, error) {
			w, err := workspace.Open(dir, p.Getenv("PARLEY_HOME"))
			if err != nil {
				return nil, err
			}
			env := &tool.Env{Workspace: w, Spawner: p.Spawner, Environ: p.Env, Background: background.New()}
			if furnish != nil {
				furnish(env)
			}
			return env, nil
		},
	}
}

// FindTool finds a tool of the program's by our name of it: what it is called, and its input.
func FindTool(name string) (tool.Tool, bool) { return (&Process{}).findTool(name) }

func (p *Process) findTool(name string) (tool.Tool, bool) {
	for _, t := range []tool.Tool{task.New(task.Options{Agents: p.findAgents, Trees: p.trees()}), task.Submit()} {
		if t.Name() == name {
			return t, true
		}
	}
	return tool.ByName(name)
}

// findAgents returns the agents of a project, and those in the program.
func (p *Process) findAgents(dir string) (agents []definition.Definition, project string) {
	var places definition.Places
	if p.Agents != "" {
		folder := filepath.Join(dir, p.Agents)
		places.Project = []string{folder}
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			project = folder
		}
	}
	agents, _ = definition.Find(places)
	return agents, project
}

// trees isolates tasks, beside the state folder.
func (p *Process) trees() *worktree.Manager {
	if p.Getenv == nil {
		return nil
	}
	return worktree.New(worktree.Options{Root: p.Getenv("PARLEY_HOME") + ".trees", Spawner: p.Spawner, Environ: p.Env})
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

// CheckStored reports an error unless the journals of a place have the text.
func CheckStored(t Tester, p *Place, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.Home, ".parley", "sessions", "*", "*.jsonl"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	var all []byte
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%v", err)
		}
		all = append(all, data...)
	}
	if !bytes.Contains(all, []byte(text)) {
		t.Errorf("no journal of %q has %s: %s", files, text, all)
	}
}
