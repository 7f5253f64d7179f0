package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// openPlan returns a plan with a task that is done and two that are open.
func openPlan() []event.PlanPhase {
	return []event.PlanPhase{{ID: "phase-1", Name: "Build", Tasks: []event.PlanTask{
		{ID: "task-1", Text: "Look", Status: event.Completed},
		{ID: "task-2", Text: "Write", Status: event.InProgress},
		{ID: "task-3", Text: "Test", Status: event.Pending},
	}}}
}

// planning returns a tool that makes the plan that its input names.
func planning(plans map[string][]event.PlanPhase) fakeTool {
	return workTool(func(_ context.Context, hooks tool.Hooks, input string) tool.Result {
		err := hooks.EditPlan(func([]event.PlanPhase) ([]event.PlanPhase, error) {
			for name, phases := range plans {
				if strings.Contains(input, name) {
					return phases, nil
				}
			}
			return nil, errors.New("no such plan")
		})
		if err != nil {
			return tool.Failed(err.Error())
		}
		return tool.Result{Text: "kept"}
	})
}

func TestReminders(t *testing.T) {
	plans := map[string][]event.PlanPhase{"open": openPlan(), "none": {}}
	makes := func(plan string) answerFunc { return call(toolCall("", "work", `{"text":"`+plan+`"}`)) }
	refused := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: model.Message{Role: model.Assistant}, Stop: model.StopRefused}}, nil)
	}
	for _, test := range []struct {
		name     string
		max      int
		answers  []answerFunc
		attempts []int
	}{
		{"until there are enough", 2, []answerFunc{makes("open"), say("a"), say("b"), say("c")}, []int{1, 2}},
		{"until all is done", 3, []answerFunc{makes("open"), say("a"), makes("none"), say("b")}, []int{1}},
		{"none", 0, []answerFunc{makes("open"), say("a")}, nil},
		{"nothing is open", 3, []answerFunc{makes("none"), say("a")}, nil},
		{"refused", 3, []answerFunc{makes("open"), refused}, nil},
		{"the plan could not be made", 3, []answerFunc{makes("else"), say("a")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, []fakeTool{planning(plans)}, test.answers...)
			s := b.session(t, func(o *Options, _ *event.Settings) { o.Todos = &Todos{Reminders: test.max} })
			records := turnOf(t, s, "go", nil)
			ended(t, records)
			var attempts []int
			for _, r := range find[event.Reminded](records) {
				attempts = append(attempts, r.Attempt)
				if r.Max != test.max || !cmp.Equal(r.Tasks, openPlan()[0].Tasks[1:]) {
					t.Errorf("%+v", r)
				}
			}
			if diff := cmp.Diff(test.attempts, attempts); diff != "" {
				t.Error(diff)
			}
			if got := len(b.requests()); got != len(test.answers) {
				t.Errorf("%d requests", got)
			}
		})
	}
}

// TestModelReceivesReminders: the model sees a reminder, a user does not, and what a user says
// begins the count anew.
func TestModelReceivesReminders(t *testing.T) {
	said := make(chan struct{})
	held := func(ctx context.Context, r *model.Request, yield func(model.Delta, error) bool) {
		<-said
		say("b")(ctx, r, yield)
	}
	b := newBench(t, []fakeTool{planning(map[string][]event.PlanPhase{"open": openPlan()})},
		call(toolCall("c", "work", `{"text":"open"}`)), say("a"), held, say("c"), say("d"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Todos = &Todos{Reminders: 1} })
	queued := false
	records := turnOf(t, s, "go", func(rec event.Record) {
		if _, reminded := rec.Event.(event.Reminded); reminded && !queued {
			queued = true
			if err := s.FollowUp(t.Context(), Prompt{Text: "more"}); err != nil {
				t.Error(err)
			}
			close(said)
		}
	})
	ended(t, records)
	differ(t, "records", watched(records), []string{
		"user_message", "step_started", "answer ", "tool_ended", "step_ended", "step_started", "answer a", "step_ended", "reminded",
		"step_started", "answer b", "step_ended", "user_message", "step_started", "answer c", "step_ended", "reminded",
		"step_started", "answer d", "step_ended", "ended completed",
	})
	messages := b.requests()[2].Messages
	if last := messages[len(messages)-1]; last.Role != model.User || !strings.Contains(last.Text(), "task-2 (in_progress): Write") || strings.Contains(last.Text(), "Look") {
		t.Errorf("the reminder is %s", last.Text())
	}
	st := s.State()
	wantItems := []event.PlanItem{{Text: "Look", Status: event.Completed}, {Text: "Write", Status: event.InProgress}, {Text: "Test", Status: event.Pending}}
	if !cmp.Equal(st.Phases, openPlan()) || !cmp.Equal(st.Plan, wantItems) {
		t.Errorf("%+v", st)
	}
}

// TestTasksLeave: what is done leaves the plan after a while, also of a session that was
// opened again; what was begun again stays.
func TestTasksLeave(t *testing.T) {
	plan := []event.PlanPhase{
		{ID: "phase-1", Name: "Done", Tasks: []event.PlanTask{{ID: "task-1", Text: "Look", Status: event.Completed}}},
		{ID: "phase-2", Name: "Build", Tasks: []event.PlanTask{{ID: "task-2", Text: "Write", Status: event.Abandoned}, {ID: "task-3", Text: "Test", Status: event.InProgress}}},
		{ID: "phase-3", Name: "Empty", Tasks: []event.PlanTask{}},
	}
	b := newBench(t, []fakeTool{planning(map[string][]event.PlanPhase{"plan": plan})}, call(toolCall("c", "work", `{"text":"plan"}`)), say("a"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Todos = &Todos{ClearAfter: time.Hour} })
	ended(t, turnOf(t, s, "go", nil))
	if n := len(s.tasks.clearing); n != 2 {
		t.Errorf("%d tasks wait", n)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := b.options()
	o.Todos = &Todos{ClearAfter: time.Millisecond}
	s, err := b.host().Open(t.Context(), s.ID(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	cleared := 0
	for rec, err := range s.Log().Follow(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := rec.Event.(event.PlanUpdated); ok {
			if cleared += e.Cleared; cleared == 2 {
				break
			}
		}
	}
	want := []event.PlanPhase{{ID: "phase-2", Name: "Build", Tasks: plan[1].Tasks[1:]}, plan[2]}
	if diff := cmp.Diff(want, s.State().Phases); diff != "" {
		t.Error(diff)
	}
}

// TestTasksStay: a task that is open again is not cleared, and neither is one of a session
// that is closed.
func TestTasksStay(t *testing.T) {
	b := newBench(t, nil)
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Todos = &Todos{ClearAfter: time.Hour} })
	set := func(status event.PlanStatus) {
		err := s.editPlan("", func([]event.PlanPhase) ([]event.PlanPhase, error) {
			return []event.PlanPhase{{ID: "phase-1", Name: "x", Tasks: []event.PlanTask{{ID: "task-1", Text: "Look", Status: status}}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set(event.Completed)
	set(event.InProgress)
	head := s.State().Head
	s.clearTask("task-1") // its wait ended too late to be stopped
	if len(s.tasks.clearing) != 0 || len(s.State().Phases) != 1 || s.State().Head != head {
		t.Errorf("%v, %v", s.tasks.clearing, s.State().Phases)
	}
	set(event.Completed)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.clearTask("task-1")
	if len(s.State().Phases) != 1 {
		t.Error("a closed session changed")
	}
}

// TestSetPlan: phases and tasks without an id get one that is free; two with the same id change
// nothing.
func TestSetPlan(t *testing.T) {
	s := newBench(t, nil).session(t, nil)
	task := func(id string) event.PlanTask { return event.PlanTask{ID: id, Text: "x", Status: event.Pending} }
	plan := []event.PlanPhase{{Name: "a", Tasks: []event.PlanTask{task(""), task("task-1"), task("")}}, {ID: "phase-1", Name: "b", Tasks: []event.PlanTask{}}}
	set, err := s.SetPlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	want := []event.PlanPhase{
		{ID: "phase-2", Name: "a", Tasks: []event.PlanTask{task("task-2"), task("task-1"), task("task-3")}},
		{ID: "phase-1", Name: "b", Tasks: []event.PlanTask{}},
	}
	if diff := cmp.Diff(want, set); diff != "" {
		t.Errorf("the plan (-want +got)\n%s", diff)
	}
	if plan[0].ID != "" {
		t.Error("the plan of the caller was changed")
	}
	for _, bad := range [][]event.PlanPhase{
		{{Name: "a", Tasks: []event.PlanTask{task("t")}}, {Name: "b", Tasks: []event.PlanTask{task("t")}}},
		{{ID: "p"}, {ID: "p"}},
	} {
		if _, err := s.SetPlan(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if diff := cmp.Diff(want, s.State().Phases); diff != "" {
		t.Errorf("the plan of the session (-want +got)\n%s", diff)
	}
}
