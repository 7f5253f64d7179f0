package tool

import (
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

func TestPlan(t *testing.T) {
	for input, tc := range map[string]struct {
		want  string
		items []event.PlanItem
	}{
		`{"items":[]}`: {"The plan is empty now.", []event.PlanItem{}},
		`{"items":[{"text":"Look","status":"completed"},{"text":"Run the tests","active":"Running the tests","status":"in_progress"},{"text":"Tell","status":"pending"}]}`: {
			"The plan is kept: 1 completed, 1 in progress, 1 pending.",
			[]event.PlanItem{
				{Text: "Look", Status: event.Completed},
				{Text: "Run the tests", Active: "Running the tests", Status: event.InProgress},
				{Text: "Tell", Status: event.Pending},
			},
		},
		`{"items":[{"text":"a","status":"in_progress"},{"text":"b","status":"in_progress"}]}`: {
			"The plan is kept: 0 completed, 2 in progress, 0 pending. Work on one item at a time: keep only that one in progress.",
			[]event.PlanItem{{Text: "a", Status: event.InProgress}, {Text: "b", Status: event.InProgress}},
		},
	} {
		call, err := Plan().Prepare(&Env{}, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		if level := call.Request().Level; level != approval.Write {
			t.Errorf("level %v", level)
		}
		var got []event.PlanItem
		r := call.Run(t.Context(), Hooks{Plan: func(items []event.PlanItem) { got = items }})
		if r.Text != tc.want || r.IsError || !slices.Equal(got, tc.items) {
			t.Errorf("%q, %+v\nwant %q, %+v", r.Text, got, tc.want, tc.items)
		}
	}
	if _, err := Plan().Prepare(&Env{}, []byte(`{"items":[{"text":"a","state":"pending"}]}`)); err == nil || !strings.Contains(err.Error(), "state") {
		t.Errorf("an unknown name: %v", err)
	}
}
