package session_test

import (
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// The state of a session is what its records amount to: the same records give the same state.
func ExampleFold() {
	fold := session.New()
	for i, e := range []event.Event{
		event.SessionCreated{ID: "s-1", Workspace: "/srv/shop"},
		event.TurnStarted{Prompt: "p-1"},
		event.UserMessage{ID: "p-1", Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("Greet me")}},
		event.AssistantMessage{ID: "m-1", Model: "demo", Blocks: []model.Block{model.TextBlock("Hello.")}},
	} {
		fold.Apply(event.Record{Seq: uint64(i + 1), Turn: "t-1", Event: e})
	}
	fmt.Println(fold.State.Workspace, fold.State.Head, fold.State.Turns)
	for _, message := range fold.Messages("not run") {
		fmt.Printf("%s: %s\n", message.Role, message.Text())
	}
	// Output:
	// /srv/shop 4 1
	// user: Greet me
	// assistant: Hello.
}

// A process that ends within a call leaves the call open. The next process closes it.
func ExampleFold_Unclosed() {
	fold := session.New()
	for i, e := range []event.Event{
		event.SessionCreated{ID: "s-1"},
		event.TurnStarted{Prompt: "p-1"},
		event.StepStarted{Step: 1},
		event.ToolIntended{Call: "call_1"},
		event.ToolStarted{Call: "call_1"},
	} {
		fold.Apply(event.Record{Seq: uint64(i + 1), Turn: "t-1", Event: e})
	}
	for _, e := range fold.Unclosed(event.OutcomeUnknown) {
		fmt.Println(e.Kind())
		if ended, ok := e.(event.ToolEnded); ok {
			fmt.Println(ended.Call, ended.Outcome)
		}
	}
	// Output:
	// tool_ended
	// call_1 unknown
	// step_ended
}
