package acp

import "parley.dev/parley/internal/event"

// question shows questions of a call as a form.
func (v *view) question(e event.QuestionAsked) {
	message, schema := form(e.Questions)
	params := ElicitationParams{Mode: "form", Message: message, RequestedSchema: schema}
	if v.turn.calls[e.Call] != nil {
		params.ToolCallID = string(e.Call)
	}
	v.show(elicitation{e.ID, e.Questions, params})
}
