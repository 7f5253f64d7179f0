package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Todos is how a session looks after a plan that is made of tasks.
type Todos struct {
	// Reminders is how often a turn that would end with open tasks goes on instead, since a
	// user said something; the model is reminded of them, and clients are sent nothing.
	Reminders int
	// ClearAfter is how long tasks stay in the plan that are done or abandoned; 0: for ever.
	ClearAfter time.Duration
}

// remind reminds the model of open tasks, and reports whether there are any.
func (t *turn) remind(ctx context.Context, answer stepAnswer) bool {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Todos == nil {
		return false
	}
	most := s.opts.Todos.Reminders
	open := openTasks(s.fold.State.Phases)
	if len(open) == 0 || t.reminded >= most || answer.stop == model.StopRefused || ctx.Err() != nil {
		return false
	}
	t.reminded++
	s.log.Append(t.id, event.Reminded{Attempt: t.reminded, Max: most, Tasks: open, Text: reminder(open)})
	return true
}

func openTasks(phases []event.PlanPhase) (open []event.PlanTask) {
	for _, p := range phases {
		for _, task := range p.Tasks {
			if task.Open() {
				open = append(open, task)
			}
		}
	}
	return open
}

// reminder returns the message to the model about open tasks.
func reminder(open []event.PlanTask) string {
	var b strings.Builder
	b.WriteString("You stopped, but these tasks of your plan are open:\n\n")
	for _, task := range open {
		fmt.Fprintf(&b, "- %s (%s): %s\n", task.ID, task.Status, task.Text)
	}
	b.WriteString("\nGo on with them. Set to completed what is done, and to abandoned what shall not be done any more. If you cannot go on without the user, say what you need.\n")
	return b.String()
}

// editPlan changes the plan as edit says; its error is returned, and nothing has changed then.
func (s *Session) editPlan(turn event.TurnID, edit func([]event.PlanPhase) ([]event.PlanPhase, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	phases, err := edit(clonePhases(s.fold.State.Phases))
	if err != nil {
		return err
	}
	s.log.Append(turn, planOf(phases, 0))
	s.clearTasks()
	return nil
}

// SetPlan replaces the plan, as a client wants it, and returns it. Phases and tasks without an id
// get one. The error reports what is wrong with the plan; nothing has changed then.
func (s *Session) SetPlan(phases []event.PlanPhase) ([]event.PlanPhase, error) {
	phases = clonePhases(phases)
	if err := numberPlan(phases); err != nil {
		return nil, err
	}
	if err := s.lockToWrite(); err != nil {
		return nil, err
	}
	defer s.unlock()
	s.log.Append(s.fold.State.Turn, planOf(phases, 0))
	s.clearTasks()
	return clonePhases(phases), nil
}

// numberPlan gives ids to phases and tasks that have none. The others have to be unique.
func numberPlan(phases []event.PlanPhase) error {
	var phaseIDs, taskIDs []*string
	for i := range phases {
		phaseIDs = append(phaseIDs, &phases[i].ID)
		for j := range phases[i].Tasks {
			taskIDs = append(taskIDs, &phases[i].Tasks[j].ID)
		}
	}
	return errors.Join(number("phase", phaseIDs), number("task", taskIDs))
}

func number(kind string, ids []*string) error {
	used := map[string]bool{}
	for _, id := range ids {
		if used[*id] && *id != "" {
			return fmt.Errorf("two of the %ss have the id %q", kind, *id)
		}
		used[*id] = true
	}
	n := 0
	for _, id := range ids {
		for *id == "" {
			n++
			if next := fmt.Sprintf("%s-%d", kind, n); !used[next] {
				*id = next
			}
		}
	}
	return nil
}

// planOf returns the plan that phases make.
func planOf(phases []event.PlanPhase, cleared int) event.PlanUpdated {
	plan := event.PlanUpdated{Items: []event.PlanItem{}, Phases: phases, Cleared: cleared}
	for _, p := range phases {
		for _, task := range p.Tasks {
			if task.Status != event.Abandoned {
				plan.Items = append(plan.Items, event.PlanItem{Text: task.Text, Status: task.Status})
			}
		}
	}
	return plan
}

func clonePhases(phases []event.PlanPhase) []event.PlanPhase {
	clone := slices.Clone(phases)
	for i := range clone {
		clone[i].Tasks = slices.Clone(clone[i].Tasks)
	}
	return clone
}

// clearTasks starts the waits of tasks that are done, and ends those of tasks that are not
// any more.
func (s *Session) clearTasks() {
	var after time.Duration
	if s.opts.Todos != nil {
		after = s.opts.Todos.ClearAfter
	}
	done := map[string]bool{}
	for _, p := range s.fold.State.Phases {
		for _, task := range p.Tasks {
			if task.Open() || after <= 0 {
				continue
			}
			done[task.ID] = true
			if s.tasks.clearing[task.ID] == nil {
				s.tasks.clearing[task.ID] = time.AfterFunc(after, func() { s.clearTask(task.ID) })
			}
		}
	}
	for id, wait := range s.tasks.clearing {
		if !done[id] {
			wait.Stop()
			delete(s.tasks.clearing, id)
		}
	}
}

// keepTasks ends all waits.
func (s *Session) keepTasks() {
	for _, wait := range s.tasks.clearing {
		wait.Stop()
	}
	clear(s.tasks.clearing)
}

// clearTask takes a task out of the plan that has been done for long enough, and its phase if
// that has no other. A wait that was ended too late to stop it has left s.clearing.
func (s *Session) clearTask(id string) {
	err := s.lockToWrite()
	if err != nil {
		s.mu.Lock()
	}
	defer s.unlock()
	if s.tasks.clearing[id] == nil {
		return
	}
	delete(s.tasks.clearing, id)
	if err != nil { // what another process does with the plan begins the wait again
		return
	}
	phases := clonePhases(s.fold.State.Phases)
	for i, p := range phases {
		phases[i].Tasks = slices.DeleteFunc(p.Tasks, func(t event.PlanTask) bool { return t.ID == id && !t.Open() })
		if len(phases[i].Tasks) == 0 && len(p.Tasks) > 0 {
			phases = slices.Delete(phases, i, i+1)
			break
		}
	}
	s.log.Append(s.fold.State.Turn, planOf(phases, 1))
}
