package dialect

import (
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestNames: a record has the client's names wherever it names a tool, and the record of the others stays as it is.
func TestNames(t *testing.T) {
	n := Names{"shell": "bash"}
	blocks := []model.Block{{Call: &model.Call{Name: "shell"}}, {Text: "shell"}}
	for _, e := range []event.Event{
		event.ToolIntended{Name: "shell"}, event.AssistantMessage{Blocks: blocks}, event.TurnEnded{Mutations: []event.Mutation{{Tool: "shell"}}},
	} {
		var name string
		switch e := n.In(event.Record{Event: e}).Event.(type) {
		case event.ToolIntended:
			name = e.Name
		case event.AssistantMessage:
			name = e.Blocks[0].Call.Name
		case event.TurnEnded:
			name = e.Mutations[0].Tool
		}
		if name != "bash" {
			t.Errorf("%s names %q", e.Kind(), name)
		}
	}
	if blocks[0].Call.Name != "shell" {
		t.Error("the record of the others is changed")
	}
	if e := n.In(event.Record{Event: event.ToolIntended{Name: "mcp__x"}}).Event.(event.ToolIntended); e.Name != "mcp__x" {
		t.Errorf("a tool that has no other name is %q", e.Name)
	}
}
