package tool

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
)

func TestLeavePlan(t *testing.T) {
	call, err := prepareIn(t, &Env{}, LeavePlan(), map[string]any{"plan": "# Do it\n"})
	if err != nil {
		t.Fatal(err)
	}
	r := call.Request()
	var set approval.GrantSet
	set.Add(r)
	if r.Level != approval.Admin || r.Complete() || set.Covers(r) {
		t.Errorf("%+v can be granted", r)
	}
	if done := call.Run(t.Context(), Hooks{}); done.IsError || !strings.Contains(done.Text, "approved the plan") {
		t.Errorf("%+v", done)
	}
	want := "The plan was not approved: smaller steps.\nThe session stays in plan mode. Work in the changes that the user wants, or ask what they are, and call this tool again."
	if got := call.(Refusable).Refused("smaller steps."); !got.IsError || got.Text != want {
		t.Errorf("%+v", got)
	}
	for _, plan := range []any{"", " \n", nil} {
		if _, err := prepareIn(t, &Env{}, LeavePlan(), map[string]any{"plan": plan}); err == nil {
			t.Errorf("the plan %q was taken", plan)
		}
	}
}
