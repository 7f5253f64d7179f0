package task

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/verify"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tool"
)

//go:embed task.md
var taskDescription string

// taskSchema is the schema of every input, taskSchemaShared that without isolated and verify.
const (
	taskSchema       = taskSchemaStart + taskSchemaIsolation + taskSchemaEnd
	taskSchemaShared = taskSchemaStart + taskSchemaEnd
)

const taskSchemaStart = `{
	"type": "object",
	"properties": {
		"agent": {"type": "string", "minLength": 1, "description": "Kind of subagent"},
		"context": {"type": "string", "description": "Information for all tasks"},
		"schema": {"type": "object", "description": "JSON Type Definition of the data of each result"},
		"tasks": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"id": {"type": "string", "description": "Short name, such as AddLogin; at most 48 characters"},
					"description": {"type": "string", "description": "One line for the user"},
					"assignment": {"type": "string", "description": "Instructions for the subagent"}
				},
				"required": ["id", "description", "assignment"],
				"additionalProperties": false
			}
		}`

const taskSchemaIsolation = `,
		"isolated": {"type": "boolean", "description": "Run each task in a copy of the project; its changes are applied only if the task succeeds. Default: false"},
		"verify": {"description": "How changes of isolated tasks are verified; they are applied only if verification passes. true: the project's default profile; a string: the profile of that name; an object: {profile, commands: [{name, command, timeoutMs, optional}], onFailure: return_failure, retry_once or discard_patch, maxRetries}"}`

const taskSchemaEnd = `
	},
	"required": ["agent", "tasks"],
	"additionalProperties": false
}`

// Options is what the tool works with.
type Options struct {
	// Agents is the agents that there are in a folder, and the folder of the project's own;
	// "": it has none.
	Agents func(dir string) (agents []definition.Definition, project string)
	// Trees isolates tasks.
	Trees *worktree.Manager
}

// New returns the tool that delegates tasks to subagents.
func New(o Options) tool.Tool { return taskTool{o} }

type taskTool struct{ Options }

func (taskTool) Name() string           { return "task" }
func (taskTool) Description() string    { return taskDescription }
func (taskTool) Schema() jsontext.Value { return jsontext.Value(taskSchema) }

// OfferedSchema leaves out what is refused where tasks cannot be isolated.
func (taskTool) OfferedSchema(env *tool.Env) jsontext.Value {
	if env.Tasks != nil && env.Tasks.Isolation {
		return jsontext.Value(taskSchema)
	}
	return jsontext.Value(taskSchemaShared)
}

// Available reports whether subagents may be had: not without end from subagents.
func (taskTool) Available(env *tool.Env) bool { return env.Tasks != nil && env.Tasks.Depth > 0 }

// Limits of the list of agents.
const (
	maxDescribed   = 50  // agents that are not bundled
	maxDescription = 300 // characters
)

// More lists the agents that may be called in env.
func (t taskTool) More(env *tool.Env) string {
	if env.Tasks == nil {
		return ""
	}
	var b strings.Builder
	agents, _ := t.Agents(env.Workspace.Dir())
	n := 0
	for _, a := range agents {
		if !may(env.Tasks.Spawns, a.Name) {
			continue
		}
		if a.Source != definition.Bundled {
			if n++; n > maxDescribed {
				continue
			}
		}
		description := a.Description
		if runes := []rune(description); len(runes) > maxDescription {
			description = string(runes[:maxDescription]) + "…"
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", a.Name, description)
	}
	if b.Len() == 0 {
		return ""
	}
	return "Values of `agent`:\n\n" + b.String()
}

// may reports whether an agent may be had.
func may(spawns []string, name string) bool {
	return slices.Contains(spawns, "*") || slices.Contains(spawns, name)
}

type input struct {
	Agent    string         `json:"agent"`
	Context  string         `json:"context"`
	Schema   jsontext.Value `json:"schema"`
	Tasks    []assignment   `json:"tasks"`
	Isolated *bool          `json:"isolated"`
	Verify   jsontext.Value `json:"verify"`
}

type assignment struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Assignment  string `json:"assignment"`
}

// maxID is how long the id of a task may be, in characters.
const maxID = 48

// call is a call of the tool. One that makes no sense is refused when it runs, which is no
// failure: clients of the tool expect a result of it.
type call struct {
	taskTool
	env     *tool.Env
	input   input
	agent   definition.Definition
	project string
	plan    *verify.Plan
	shape   *shape // of the data of each result; nil: any
	refused error
}

func (t taskTool) Prepare(env *tool.Env, text jsontext.Value) (tool.Call, error) {
	c := &call{taskTool: t, env: env}
	if err := json.Unmarshal(text, &c.input, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the input cannot be read: %w", err)
	}
	if env.Tasks == nil {
		return nil, errors.New("there are no subagents here")
	}
	var agents []definition.Definition
	agents, c.project = t.Agents(env.Workspace.Dir())
	c.refused = c.check(agents)
	return c, nil
}

func (c *call) isolated() bool { return c.input.Isolated != nil && *c.input.Isolated }

// check finds the agent and the plan, or says what is wrong.
func (c *call) check(agents []definition.Definition) (err error) {
	i := slices.IndexFunc(agents, func(a definition.Definition) bool { return a.Name == c.input.Agent })
	if i < 0 {
		var names []string
		for _, a := range agents {
			names = append(names, a.Name)
		}
		return refuse("Unknown agent %q. Available: %s", c.input.Agent, strings.Join(names, ", "))
	}
	c.agent = agents[i]
	settings := c.env.Tasks
	if !may(settings.Spawns, c.agent.Name) {
		return refuse("Cannot spawn '%s'. Allowed: %s", c.agent.Name, strings.Join(settings.Spawns, ", "))
	}
	if c.input.Isolated != nil && !settings.Isolation {
		return refuse("Task isolation is disabled. Remove the isolated argument or set task.isolation.mode to worktree.")
	}
	if err := checkTasks(c.input.Tasks); err != nil {
		return err
	}
	if wanted := c.wanted(); wanted != nil {
		if c.shape, err = readShape(wanted); err != nil {
			return refuse("Invalid schema: %v.", err)
		}
	}
	c.plan, err = settings.Verify.Resolve(c.input.Verify, c.isolated())
	return err
}

// wanted returns what the data of the results has to be like; nil: anything.
func (c *call) wanted() jsontext.Value {
	if c.input.Schema != nil {
		return c.input.Schema
	}
	return c.agent.Output
}

func checkTasks(tasks []assignment) error {
	if len(tasks) == 0 {
		return refuse("Invalid tasks: there are none.")
	}
	seen := map[string]bool{}
	for i, t := range tasks {
		id := strings.ToLower(t.ID)
		switch {
		case strings.TrimSpace(t.ID) == "":
			return refuse("Invalid tasks: tasks[%d] has no id.", i)
		case utf8.RuneCountInString(t.ID) > maxID:
			return refuse("Invalid tasks: the id of tasks[%d] has more than %d characters.", i, maxID)
		case seen[id]:
			return refuse("Invalid tasks: there are several with the id %s.", t.ID)
		case strings.TrimSpace(t.Assignment) == "":
			return refuse("Invalid tasks: %s has no assignment.", t.ID)
		}
		seen[id] = true
	}
	return nil
}

// A refusal is a sentence for models and clients, in the words that they know.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// Request returns what the call itself needs. What its subagents do is asked for by them; but the
// commands that verify their work are run by nothing else, and the model or an author of
// the project may have written them: they need approvals like commands of the shell tool.
func (c *call) Request() approval.Request {
	r := approval.Request{Level: approval.Write, Summary: fmt.Sprintf("run %d %s subagents", len(c.input.Tasks), c.input.Agent)}
	if c.refused != nil {
		r.Level = approval.Read
	}
	if c.refused == nil && c.plan != nil {
		var lines []string
		for _, command := range c.plan.Commands {
			lines = append(lines, command.Line)
		}
		r.Level, r.Command, r.Dir, r.AsShell = approval.Execute, strings.Join(lines, "\n"), c.env.Workspace.Dir(), true
		r.Summary += ", verified by these commands"
	}
	return r
}
