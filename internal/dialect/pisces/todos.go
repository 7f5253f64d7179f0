package pisces

import (
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// This file contains the todos that a client sets (set_todos).

// todoStatuses is the statuses of a TodoItem.
var todoStatuses = []event.PlanStatus{event.Pending, event.InProgress, event.Completed, event.Abandoned}

// checkTodos checks the statuses of set_todos.
func checkTodos(params any) error {
	p, ok := params.(SetTodos)
	if !ok {
		return nil
	}
	for i, phase := range p.Phases {
		for j, task := range phase.Tasks {
			if slices.Contains(todoStatuses, event.PlanStatus(task.Status)) {
				continue
			}
			field := wire.FieldPath(wire.FieldPath(wire.FieldPath("phases", index(i)), "tasks"), index(j))
			return &wire.FieldError{Field: wire.FieldPath(field, "status"), Problem: "expected pending, in_progress, completed or abandoned"}
		}
	}
	return nil
}

// setTodos replaces the todos of the session.
func (s *session) setTodos(phases []TodoPhase) (TodoPhases, error) {
	plan := []event.PlanPhase{}
	for _, p := range phases {
		phase := event.PlanPhase{ID: p.ID, Name: p.Name, Tasks: []event.PlanTask{}}
		for _, t := range p.Tasks {
			phase.Tasks = append(phase.Tasks, event.PlanTask{ID: t.ID, Text: t.Content, Status: event.PlanStatus(t.Status), Notes: t.Notes, Details: t.Details})
		}
		plan = append(plan, phase)
	}
	plan, err := s.eng.SetPlan(plan)
	if err != nil {
		return TodoPhases{}, err
	}
	set := TodoPhases{[]TodoPhase{}}
	for _, p := range plan {
		phase := TodoPhase{ID: p.ID, Name: p.Name, Tasks: []TodoItem{}}
		for _, t := range p.Tasks {
			phase.Tasks = append(phase.Tasks, TodoItem{t.ID, t.Text, string(t.Status), t.Notes, t.Details})
		}
		set.TodoPhases = append(set.TodoPhases, phase)
	}
	return set, nil
}
