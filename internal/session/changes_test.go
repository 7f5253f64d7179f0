package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
)

// A fileStep is what a record says of a file: from and to are its contents, "" is none.
func fileStep(path, from, to string) event.FileChange {
	c := event.FileChange{Path: path, Op: event.Updated, Existed: from != "", Before: from, After: to, Added: 2, Removed: 1}
	switch {
	case to == "":
		c.Op, c.Mode = event.Deleted, 0o755
	case from == "":
		c.Op = event.Created
	}
	return c
}

func toolRan(turn event.TurnID, call event.CallID, name string, end event.ToolEnded) []event.Record {
	end.Call = call
	return []event.Record{
		{Turn: turn, Event: event.ToolIntended{Call: call, Name: name, Tool: name}},
		{Turn: turn, Event: event.ToolStarted{Call: call}},
		{Turn: turn, Event: end},
	}
}

func changedBy(turn event.TurnID, call event.CallID, changes ...event.FileChange) []event.Record {
	return toolRan(turn, call, "edit", event.ToolEnded{Outcome: event.Succeeded, Changes: changes})
}

// TestFileChanges: changes of a file are one, from its first content to its last.
func TestFileChanges(t *testing.T) {
	created := []event.Record{{Event: event.SessionCreated{Workspace: "/w"}}}
	records := func(more ...[]event.Record) []event.Record {
		all := created
		for _, m := range more {
			all = append(all[:len(all):len(all)], m...)
		}
		for i := range all {
			all[i].Seq = uint64(i + 1)
		}
		return all
	}
	tests := map[string]struct {
		records []event.Record
		fold    FileChanges
		want    map[string]string // by path: first content, last content, "!" if something else changed it between; "-": none
	}{
		"one":                  {records: records(changedBy("t", "1", fileStep("a", "1", "2"))), want: map[string]string{"/w/a": "1>2"}},
		"three are one":        {records: records(changedBy("t", "1", fileStep("a", "1", "2")), changedBy("t", "2", fileStep("a", "2", "3")), changedBy("u", "3", fileStep("a", "3", "4"))), want: map[string]string{"/w/a": "1>4"}},
		"made and deleted":     {records: records(changedBy("t", "1", fileStep("a", "", "2")), changedBy("t", "2", fileStep("a", "2", ""))), want: map[string]string{"/w/a": "-"}},
		"deleted and made":     {records: records(changedBy("t", "1", fileStep("a", "1", "")), changedBy("t", "2", fileStep("a", "", "2"))), want: map[string]string{"/w/a": "1>2"}},
		"there and back":       {records: records(changedBy("t", "1", fileStep("a", "1", "2")), changedBy("t", "2", fileStep("a", "2", "1"))), want: map[string]string{"/w/a": "-"}},
		"by something else":    {records: records(changedBy("t", "1", fileStep("a", "1", "2")), changedBy("t", "2", fileStep("a", "9", "3"))), want: map[string]string{"/w/a": "1>3!"}},
		"deleted by something": {records: records(changedBy("t", "1", fileStep("a", "1", "2")), changedBy("t", "2", fileStep("a", "", "3"))), want: map[string]string{"/w/a": "1>3!"}},
		"of one turn":          {records: records(changedBy("t", "1", fileStep("a", "1", "2")), changedBy("u", "2", fileStep("a", "2", "3"))), fold: FileChanges{Turn: "u"}, want: map[string]string{"/w/a": "2>3"}},
		"from a record on":     {records: records(changedBy("t", "1", fileStep("a", "1", "2")), changedBy("u", "2", fileStep("a", "2", "3"))), fold: FileChanges{From: 5}, want: map[string]string{"/w/a": "2>3"}},
		"nothing from the end": {records: records(changedBy("t", "1", fileStep("a", "1", "2"))), fold: FileChanges{From: 5}},
		"moved":                {records: records(changedBy("t", "1", fileStep("a", "1", ""), fileStep("b", "", "1"))), want: map[string]string{"/w/a": "1>", "/w/b": ">1"}},
		"in another folder": {records: records(
			[]event.Record{{Event: event.SessionChanged{Settings: event.Settings{Dir: "/w/sub"}}}}, changedBy("t", "1", fileStep("a", "1", "2")),
			[]event.Record{{Event: event.SessionChanged{}}}, changedBy("t", "2", fileStep("sub/a", "2", "3"), fileStep("/x/a", "1", "2")),
		), want: map[string]string{"/w/sub/a": "1>3", "/x/a": "1>2"}},
		"restored":                     {records: records(changedBy("t", "1", fileStep("a", "1", "2")), []event.Record{{Event: event.FilesRestored{Before: 2, Changes: []event.FileChange{fileStep("a", "2", "1")}}}}), want: map[string]string{"/w/a": "-"}},
		"by a call that a hook failed": {records: records(toolRan("t", "1", "edit", event.ToolEnded{Outcome: event.Failed, Changes: []event.FileChange{fileStep("a", "1", "2")}})), want: map[string]string{"/w/a": "1>2"}},
	}
	for name, test := range tests {
		fold := test.fold
		for _, rec := range test.records {
			fold.Apply(rec)
		}
		var got map[string]string
		for path, n := range fold.Files {
			if got == nil {
				got = map[string]string{}
			}
			if got[path] = n.First.Before + ">" + n.Last.After; n.Changed != 0 {
				got[path] += "!"
			}
			if n.None() {
				got[path] = "-"
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestNetOfOldRecords: without contents a change is never taken for none, and counts add up.
func TestNetOfOldRecords(t *testing.T) {
	var fold FileChanges
	old := event.FileChange{Path: "a", Op: event.Updated, Existed: true, Added: 1, Removed: 2}
	for i, rec := range append(changedBy("t", "1", old), changedBy("t", "2", old)...) {
		rec.Seq = uint64(i + 1)
		fold.Apply(rec)
	}
	n := fold.Files["a"]
	if n.None() || n.Changed != 0 || n.Number != 2 || n.Added != 2 || n.Removed != 4 || n.First.Undoable() {
		t.Errorf("%+v", n)
	}
}

// TestUntracked: calls that may have changed anything are listed, and no others.
func TestUntracked(t *testing.T) {
	var all []event.Record
	add := func(records ...event.Record) {
		for _, rec := range records {
			rec.Seq = uint64(len(all) + 1)
			all = append(all, rec)
		}
	}
	add(event.Record{Event: event.SessionCreated{Workspace: "/w"}})
	add(toolRan("t", "read", "read", event.ToolEnded{Outcome: event.Succeeded})...)
	add(toolRan("t", "shell", "shell", event.ToolEnded{Outcome: event.Failed})...)
	add(toolRan("t", "patch", "shell", event.ToolEnded{Outcome: event.Succeeded, Changes: []event.FileChange{fileStep("a", "1", "2")}})...)
	add(toolRan("t", "task", "task", event.ToolEnded{Outcome: event.Succeeded})...)
	add(toolRan("t", "client", "deploy", event.ToolEnded{Outcome: event.Succeeded})...)
	add(toolRan("t", "dead", "write", event.ToolEnded{Outcome: event.OutcomeUnknown})...)
	denied := toolRan("t", "denied", "shell", event.ToolEnded{Outcome: event.Denied})
	add(denied[0], denied[2])
	server := toolRan("t", "server", "mcp__s__x", event.ToolEnded{Outcome: event.Succeeded})
	server[0].Event = event.ToolIntended{Call: "server", Name: "mcp__s__x", Tool: "x", Server: "s"}
	add(server...)
	add(event.Record{Event: event.CommandRan{}})
	known := event.ShellRun{Tracked: true, Changes: []event.FileChange{fileStep("b", "1", "2")}}
	add(toolRan("t", "tracked", "shell", event.ToolEnded{Outcome: event.Succeeded, Shell: &known})...)
	add(event.Record{Event: event.CommandRan{Shell: event.ShellRun{Tracked: true, Changes: []event.FileChange{fileStep("b", "2", "3")}}}})
	var fold FileChanges
	for _, rec := range all {
		fold.Apply(rec)
	}
	want := []UntrackedCall{{7, "shell", "shell"}, {13, "task", "task"}, {16, "client", "deploy"}, {19, "dead", "write"}, {24, "server", "x"}, {25, "", "shell"}}
	if diff := cmp.Diff(want, fold.Untracked); diff != "" {
		t.Error(diff)
	}
	if b := fold.Files["/w/b"]; b.Number != 2 || b.First.Before != "1" || b.Last.After != "3" || b.Changed != 0 {
		t.Errorf("what commands changed: %+v", b)
	}
}
