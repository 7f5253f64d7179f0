package tool

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

//go:embed todo.md
var todoDescription string

const todoSchema = `{
	"type": "object",
	"$defs": {
		"status": {"enum": ["pending", "in_progress", "completed", "abandoned"]},
		"task": {
			"type": "object",
			"properties": {
				"content": {"type": "string", "minLength": 1, "description": "What is to be done, in a few words"},
				"status": {"$ref": "#/$defs/status", "description": "Default: pending"},
				"notes": {"type": "string", "description": "What turned out"},
				"details": {"type": "string", "description": "More about what is to be done"}
			},
			"required": ["content"],
			"additionalProperties": false
		},
		"phase": {
			"type": "object",
			"properties": {
				"name": {"type": "string", "minLength": 1},
				"tasks": {"type": "array", "maxItems": 200, "items": {"$ref": "#/$defs/task"}}
			},
			"required": ["name"],
			"additionalProperties": false
		}
	},
	"properties": {
		"ops": {
			"type": "array", "minItems": 1, "maxItems": 200,
			"items": {
				"type": "object",
				"properties": {
					"op": {"enum": ["replace", "add_phase", "add_task", "update", "remove_task"]},
					"phases": {"type": "array", "maxItems": 50, "items": {"$ref": "#/$defs/phase"}, "description": "replace: the whole plan; empty: there is none any more"},
					"name": {"type": "string", "minLength": 1, "description": "add_phase: its name"},
					"tasks": {"type": "array", "maxItems": 200, "items": {"$ref": "#/$defs/task"}, "description": "add_phase: its tasks"},
					"phase": {"type": "string", "description": "add_task: id or name of the phase"},
					"id": {"type": "string", "description": "update, remove_task: id of the task"},
					"content": {"type": "string", "minLength": 1, "description": "add_task, update: what is to be done"},
					"status": {"$ref": "#/$defs/status", "description": "add_task, update"},
					"notes": {"type": "string", "description": "add_task, update: what turned out"},
					"details": {"type": "string", "description": "add_task, update: more about what is to be done"}
				},
				"required": ["op"],
				"additionalProperties": false
			},
			"description": "Changes of the plan, in order: all of them are done, or none"
		}
	},
	"required": ["ops"],
	"additionalProperties": false
}`

// Todo returns the tool that keeps the session's plan as tasks in phases.
func Todo() Tool { return todoTool{} }

type todoTool struct{}

func (todoTool) Name() string           { return "todo" }
func (todoTool) Description() string    { return todoDescription }
func (todoTool) Schema() jsontext.Value { return jsontext.Value(todoSchema) }

type todoInput struct {
	Ops []todoOp `json:"ops"`
}

// A todoOp is a change of the plan. Which fields count depends on Op.
type todoOp struct {
	Op      string           `json:"op"`
	Phases  []todoPhase      `json:"phases"`
	Name    string           `json:"name"`
	Tasks   []todoTask       `json:"tasks"`
	Phase   string           `json:"phase"`
	ID      string           `json:"id"`
	Content string           `json:"content"`
	Status  event.PlanStatus `json:"status"`
	Notes   *string          `json:"notes"`   // nil: as it was
	Details *string          `json:"details"` // nil: as it was
}

type todoPhase struct {
	Name  string     `json:"name"`
	Tasks []todoTask `json:"tasks"`
}

type todoTask struct {
	Content string           `json:"content"`
	Status  event.PlanStatus `json:"status"`
	Notes   string           `json:"notes"`
	Details string           `json:"details"`
}

func (todoTool) Prepare(_ *Env, input jsontext.Value) (Call, error) {
	var in todoInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	return &todoCall{ops: in.Ops}, nil
}

type todoCall struct {
	ops []todoOp
}

func (c *todoCall) Request() approval.Request {
	return approval.Request{Level: approval.Write, Summary: fmt.Sprintf("%d changes of the plan", len(c.ops))}
}

func (c *todoCall) Run(_ context.Context, hooks Hooks) Result {
	var text string
	err := hooks.EditPlan(func(phases []event.PlanPhase) ([]event.PlanPhase, error) {
		t := todos(phases)
		for i, op := range c.ops {
			if err := t.do(op); err != nil {
				return nil, fmt.Errorf("op %d, %s: %w; nothing was changed", i+1, op.Op, err)
			}
		}
		t.advance()
		text = t.text()
		return t, nil
	})
	if err != nil {
		return Failed(err.Error())
	}
	return Result{Text: text}
}

// todos is a plan that is being changed.
type todos []event.PlanPhase

func (t *todos) do(op todoOp) error {
	switch op.Op {
	case "replace":
		*t = todos{}
		for _, p := range op.Phases {
			t.addPhase(p.Name, p.Tasks)
		}
	case "add_phase":
		if op.Name == "" {
			return fmt.Errorf("name is missing")
		}
		t.addPhase(op.Name, op.Tasks)
	case "add_task":
		return t.addTask(op)
	case "update":
		return t.update(op)
	case "remove_task":
		for i, p := range *t {
			for j, task := range p.Tasks {
				if task.ID == op.ID {
					(*t)[i].Tasks = slices.Delete(p.Tasks, j, j+1)
					return nil
				}
			}
		}
		return t.noTask(op.ID)
	}
	return nil
}

func (t *todos) addPhase(name string, tasks []todoTask) {
	taken := func(p event.PlanPhase) string { return p.ID }
	*t = append(*t, event.PlanPhase{ID: nextID("phase-", *t, taken), Name: name, Tasks: []event.PlanTask{}})
	for _, task := range tasks {
		t.add(len(*t)-1, task)
	}
}

func (t *todos) add(phase int, task todoTask) {
	if task.Status == "" {
		task.Status = event.Pending
	}
	(*t)[phase].Tasks = append((*t)[phase].Tasks, event.PlanTask{
		ID:   nextID("task-", t.tasks(), func(task event.PlanTask) string { return task.ID }),
		Text: task.Content, Status: task.Status, Notes: task.Notes, Details: task.Details,
	})
}

func (t *todos) addTask(op todoOp) error {
	i := slices.IndexFunc(*t, func(p event.PlanPhase) bool { return p.ID == op.Phase })
	if i < 0 {
		i = slices.IndexFunc(*t, func(p event.PlanPhase) bool { return p.Name == op.Phase })
	}
	switch {
	case op.Content == "":
		return fmt.Errorf("content is missing")
	case i < 0:
		return fmt.Errorf("there is no phase %q", op.Phase)
	}
	task := todoTask{Content: op.Content, Status: op.Status}
	if op.Notes != nil {
		task.Notes = *op.Notes
	}
	if op.Details != nil {
		task.Details = *op.Details
	}
	t.add(i, task)
	return nil
}

func (t *todos) update(op todoOp) error {
	for _, p := range *t {
		for j := range p.Tasks {
			task := &p.Tasks[j]
			if task.ID != op.ID {
				continue
			}
			if op.Status == event.InProgress { // it is the one that is worked on now
				t.pause()
			}
			if op.Status != "" {
				task.Status = op.Status
			}
			if op.Content != "" {
				task.Text = op.Content
			}
			if op.Notes != nil {
				task.Notes = *op.Notes
			}
			if op.Details != nil {
				task.Details = *op.Details
			}
			return nil
		}
	}
	return t.noTask(op.ID)
}

func (t *todos) noTask(id string) error {
	if id == "" {
		return fmt.Errorf("id is missing")
	}
	return fmt.Errorf("there is no task %q", id)
}

// pause makes every task pending that is in progress.
func (t *todos) pause() {
	for _, p := range *t {
		for j := range p.Tasks {
			if p.Tasks[j].Status == event.InProgress {
				p.Tasks[j].Status = event.Pending
			}
		}
	}
}

// advance leaves at most one task in progress, and makes it the first that is pending where
// there is none.
func (t *todos) advance() {
	var pending, current *event.PlanTask
	for _, p := range *t {
		for j := range p.Tasks {
			task := &p.Tasks[j]
			switch {
			case task.Status == event.InProgress && current == nil:
				current = task
			case task.Status == event.InProgress:
				task.Status = event.Pending
			case task.Status == event.Pending && pending == nil:
				pending = task
			}
		}
	}
	if current == nil && pending != nil {
		pending.Status = event.InProgress
	}
}

func (t *todos) tasks() (all []event.PlanTask) {
	for _, p := range *t {
		all = append(all, p.Tasks...)
	}
	return all
}

// text returns the plan for the model.
func (t *todos) text() string {
	if len(*t) == 0 {
		return "The plan is empty now."
	}
	var b strings.Builder
	open, done := 0, 0
	for _, p := range *t {
		fmt.Fprintf(&b, "\n%s %s\n", p.ID, p.Name)
		for _, task := range p.Tasks {
			fmt.Fprintf(&b, "- %s [%s] %s\n", task.ID, task.Status, task.Text)
			if task.Open() {
				open++
			} else {
				done++
			}
		}
	}
	return fmt.Sprintf("The plan is kept: %d open, %d done.\n%s", open, done, b.String())
}

// nextID returns the prefix with the number after the highest that is taken.
func nextID[T any](prefix string, all []T, id func(T) string) string {
	highest := 0
	for _, one := range all {
		if digits, ok := strings.CutPrefix(id(one), prefix); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				highest = max(highest, n)
			}
		}
	}
	return prefix + strconv.Itoa(highest+1)
}
