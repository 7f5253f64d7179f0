package tool

import (
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// shown returns a plan as one line: phases and their tasks.
func shown(phases []event.PlanPhase) string {
	var b strings.Builder
	for _, p := range phases {
		fmt.Fprintf(&b, "%s %s:", p.ID, p.Name)
		for _, task := range p.Tasks {
			fmt.Fprintf(&b, " %s=%s/%s/%s%s", task.ID, task.Text, task.Status, task.Notes, task.Details)
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestTodo(t *testing.T) {
	const two = `{"op":"replace","phases":[{"name":"Build","tasks":[{"content":"Write"},{"content":"Test","details":"d"}]},{"name":"Ship"}]}`
	for _, tc := range []struct {
		name string
		ops  string
		want string
		err  string
	}{
		{"the first is promoted", two, "phase-1 Build: task-1=Write/in_progress/ task-2=Test/pending/d; phase-2 Ship:", ""},
		{"nothing", `{"op":"replace","phases":[]}`, "", ""},
		{"one stays in progress", `{"op":"replace","phases":[{"name":"A","tasks":[{"content":"a","status":"in_progress"},{"content":"b","status":"in_progress"}]}]}`, "phase-1 A: task-1=a/in_progress/ task-2=b/pending/", ""},
		{"the next is promoted", two + `,{"op":"update","id":"task-1","status":"completed","notes":"n"}`, "phase-1 Build: task-1=Write/completed/n task-2=Test/in_progress/d; phase-2 Ship:", ""},
		{"another is taken up", two + `,{"op":"update","id":"task-2","status":"in_progress","content":"Check"}`, "phase-1 Build: task-1=Write/pending/ task-2=Check/in_progress/d; phase-2 Ship:", ""},
		{"abandoned", two + `,{"op":"update","id":"task-1","status":"abandoned"},{"op":"update","id":"task-2","status":"abandoned","details":""}`, "phase-1 Build: task-1=Write/abandoned/ task-2=Test/abandoned/; phase-2 Ship:", ""},
		{
			"more", two + `,{"op":"add_phase","name":"Tell","tasks":[{"content":"Write it"}]},{"op":"add_task","phase":"phase-2","content":"Tag","notes":"n"},{"op":"add_task","phase":"Ship","content":"Push","status":"completed","details":"d"}`,
			"phase-1 Build: task-1=Write/in_progress/ task-2=Test/pending/d; phase-2 Ship: task-4=Tag/pending/n task-5=Push/completed/d; phase-3 Tell: task-3=Write it/pending/", "",
		},
		{"less", two + `,{"op":"remove_task","id":"task-1"}`, "phase-1 Build: task-2=Test/in_progress/d; phase-2 Ship:", ""},
		{"no such task", two + `,{"op":"update","id":"task-9"}`, "", `op 2, update: there is no task "task-9"; nothing was changed`},
		{"no such task to remove", `{"op":"remove_task","id":"task-9"}`, "", `op 1, remove_task: there is no task "task-9"; nothing was changed`},
		{"no id", `{"op":"update"}`, "", "op 1, update: id is missing; nothing was changed"},
		{"no phase", `{"op":"add_task","phase":"x","content":"a"}`, "", `op 1, add_task: there is no phase "x"; nothing was changed`},
		{"no content", two + `,{"op":"add_task","phase":"phase-1"}`, "", "op 2, add_task: content is missing; nothing was changed"},
		{"no name", `{"op":"add_phase"}`, "", "op 1, add_phase: name is missing; nothing was changed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			call, err := Todo().Prepare(&Env{}, []byte(`{"ops":[`+tc.ops+`]}`))
			if err != nil {
				t.Fatal(err)
			}
			if r := call.Request(); r.Level != approval.Write || len(r.Paths) > 0 {
				t.Errorf("%+v", r)
			}
			var kept []event.PlanPhase
			r := call.Run(t.Context(), Hooks{EditPlan: func(edit func([]event.PlanPhase) ([]event.PlanPhase, error)) error {
				phases, err := edit(nil)
				kept = phases
				return err
			}})
			switch {
			case tc.err != "":
				if !r.IsError || r.Text != tc.err || kept != nil {
					t.Errorf("%q, %v", r.Text, kept)
				}
			case r.IsError || shown(kept) != tc.want || kept == nil:
				t.Errorf("%q: %s\nwant %s", r.Text, shown(kept), tc.want)
			}
		})
	}
}

// TestTodoContinues: ids go on after those that there are, and the model receives all of it.
func TestTodoContinues(t *testing.T) {
	call, err := Todo().Prepare(&Env{}, []byte(`{"ops":[{"op":"add_task","phase":"phase-7","content":"b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	old := []event.PlanPhase{{ID: "phase-7", Name: "A", Tasks: []event.PlanTask{{ID: "task-11", Text: "a", Status: event.Completed}, {ID: "own", Text: "c", Status: event.InProgress}}}}
	r := call.Run(t.Context(), Hooks{EditPlan: func(edit func([]event.PlanPhase) ([]event.PlanPhase, error)) error {
		_, err := edit(old)
		return err
	}})
	want := "The plan is kept: 2 open, 1 done.\n\nphase-7 A\n- task-11 [completed] a\n- own [in_progress] c\n- task-12 [pending] b\n"
	if r.Text != want {
		t.Errorf("%q", r.Text)
	}
}
