package recordtest

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Conversation returns a session with calls, a command, a compaction, a label and a branch.
func Conversation() []event.Record {
	var all []event.Event
	add := func(more ...event.Event) { all = append(all, more...) }
	add(Created(), event.TurnStarted{}, Says("Plan it"))
	add(Answers("Looking.", Calls("c1 bash")...)...)
	add(Intends("c1", "bash", "shell"), event.ToolEnded{Call: "c1", Outcome: event.Succeeded, Output: "ok"}, event.StepEnded{Step: 1}) // 6 7 8
	add(Answers("Planned.")...)                                                                                                        // 9 10
	add(event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnCompleted})                                                        // 11 12
	add(event.CommandRan{Shell: event.ShellRun{Command: "ls"}})                                                                        // 13
	add(event.TurnStarted{}, Says("Write it"))                                                                                         // 14 15
	add(Answers("Written.")...)                                                                                                        // 16 17
	add(event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnCompleted})                                                        // 18 19
	add(event.Labelled{Target: 15, Label: "good"})                                                                                     // 20
	add(event.Compacted{Summary: "It went well.", KeptFrom: 10, TokensBefore: 99})                                                     // 21
	add(event.SessionChanged{Settings: event.Settings{Model: "acme/eel", Thinking: model.High, Name: "Cart"}})                         // 22
	add(event.TurnStarted{}, Says("Lost"))                                                                                             // 23 24
	add(event.Branched{Head: 21})                                                                                                      // 25
	add(event.TurnStarted{}, Says("Go on"))                                                                                            // 26 27
	return Records(all...)
}

// ruleNote is the note to the model about a rule that it broke.
const ruleNote = `{"role":"custom","customType":"ttsr-injection","content":"Mind r.","display":false,"timestamp":1}`

// Objects returns an objection to an answer.
func Objects(cut bool) event.RuleViolated {
	return event.RuleViolated{Rules: []string{"r"}, Cut: cut, Blocks: []model.Block{model.TextBlock("Mind r.")}, Sent: jsontext.Value(ruleNote)}
}

// CutTurn returns a turn with an answer that was cut, and a reminder.
func CutTurn(void bool) []event.Event {
	return []event.Event{
		Created(),
		event.TurnStarted{},
		Says("go"),
		event.StepStarted{Step: 1},
		event.AssistantMessage{Partial: true, Void: void, Blocks: []model.Block{model.TextBlock("so b")}},
		Objects(true),
		event.StepEnded{Step: 1},
		event.StepStarted{Step: 2},
		event.AssistantMessage{Blocks: []model.Block{model.TextBlock("so g")}},
		event.StepEnded{Step: 2},
		event.Reminded{Attempt: 1, Max: 3, Tasks: []event.PlanTask{{ID: "task-1", Text: "x", Status: event.Pending}}, Text: "Go on."},
		event.StepStarted{Step: 3},
		event.AssistantMessage{Blocks: []model.Block{model.TextBlock("done")}},
		event.StepEnded{Step: 3},
		event.TurnEnded{Reason: event.TurnCompleted},
	}
}
