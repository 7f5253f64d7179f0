package pisces

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/event"
)

// TestTree: every entry is in the tree once, below its parent, and entries after one are those
// that follow it in the list.
func TestTree(t *testing.T) {
	h, err := sessionfile.ReadHistory(recordtest.Sequence(recordtest.Conversation()), around())
	if err != nil {
		t.Fatal(err)
	}
	all, err := entriesAfter(h, "")
	if err != nil || len(all.Entries) != len(h.Entries) || *all.LeafID != h.Leaf {
		t.Fatalf("%d entries, leaf %v, %v", len(all.Entries), all.LeafID, err)
	}
	rest, err := entriesAfter(h, h.Entries[1].ID)
	if err != nil || len(rest.Entries) != len(h.Entries)-2 {
		t.Errorf("%d entries after the second, %v", len(rest.Entries), err)
	}
	if _, err := entriesAfter(h, "ghost"); err == nil || err.Error() != "Entry not found: ghost" {
		t.Errorf("after an entry that there is not: %v", err)
	}
	parents := map[string]string{}
	var walk func(parent string, nodes []*TreeNode)
	walk = func(parent string, nodes []*TreeNode) {
		for _, n := range nodes {
			var e struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(n.Entry, &e); err != nil {
				t.Fatal(err)
			}
			parents[e.ID] = parent
			walk(e.ID, n.Children)
		}
	}
	walk("", treeOf(h))
	want := map[string]string{}
	for _, e := range h.Entries {
		want[e.ID] = e.Parent
	}
	if diff := cmp.Diff(want, parents); diff != "" {
		t.Errorf("(-parents +tree)\n%s", diff)
	}
}

// TestTreeOfRoots: an entry without a parent that is there is a root, and the last label counts.
func TestTreeOfRoots(t *testing.T) {
	h := &sessionfile.History{Entries: []sessionfile.Entry{{ID: "a", Parent: "gone"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "c"}}}
	roots := treeOf(h)
	if len(roots) != 2 || len(roots[0].Children) != 1 || len(roots[1].Children) != 0 || leafOf(h) != nil {
		t.Errorf("%d roots", len(roots))
	}
}

// TestSubagents: what get_subagents answers is what the events of a turn said.
func TestSubagents(t *testing.T) {
	v := newView(nil, nil, nil, nil)
	task := event.Task{Index: 0, ID: "0-One", Agent: "task", Source: "bundled", Description: "First", Assignment: "Do it"}
	for _, e := range []event.Event{
		event.TurnStarted{},
		event.TasksProgressed{Call: "c", Tasks: []event.TaskProgress{{Task: task, Status: event.TaskPending}}},
		event.SubagentStarted{Call: "c", Task: "0-One", Agent: "task"},
		event.SubagentStarted{Call: "c", Task: "1-Two", Agent: "explore"},
		event.SubagentEnded{Call: "c", Task: "1-Two", Agent: "explore", ExitCode: 1},
	} {
		v.noteTask(event.Record{Event: e, Time: recordtest.Start})
	}
	at := recordtest.Start.UnixMilli()
	want := []Subagent{
		{ID: "0-One", Index: 0, Agent: "task", AgentSource: "bundled", Description: "First", Status: "running", Assignment: "Do it", LastUpdate: at, ParentToolCallID: "c"},
		{ID: "1-Two", Index: 1, Agent: "explore", AgentSource: "bundled", Status: "failed", LastUpdate: at, ParentToolCallID: "c"},
	}
	if diff := cmp.Diff(want, v.subagents()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	v.noteTask(event.Record{Event: event.TurnStarted{}})
	if got := v.subagents(); len(got) != 0 {
		t.Errorf("of the turn before: %v", got)
	}
}
