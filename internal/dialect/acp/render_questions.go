package acp

import "parley.dev/parley/internal/event"

// question shows questions of a call as a form.
func (v *view) question(e event.QuestionAsked) {
	message, schema := form(e.Questions)
	params := ElicitationParams{Mode: "form", Message: message, RequestedSchema: schema}
	if c := v.turn.calls.open(string(e.Call)); c != nil {
		v.reveal(c)
		params.ToolCallID = c.id
	}
	v.show(elicitation{e.ID, e.Questions, params})
}
