package codex

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file sends what tool servers request of the user, and takes the answers (mcpServer/elicitation/request).

// An elicitationForm and an elicitationURL are McpServerElicitationRequestParams: the schema has what both have in common beside the union.
type (
	elicitationForm struct {
		elicitationTarget
		FormMcpServerElicitationRequestParams
	}
	elicitationURL struct {
		elicitationTarget
		URLMcpServerElicitationRequestParams
	}
	elicitationTarget struct {
		ServerName string `json:"serverName"`
		ThreadID   string `json:"threadId"`
		TurnID     string `json:"turnId"`
	}
)

// formOf returns what a tool server requests by questions; nil: they are plain ones.
func formOf(questions []event.Question) *event.Elicitation {
	if len(questions) != 1 || len(questions[0].Options) != 2 {
		return nil
	}
	return questions[0].Elicitation
}

// elicitation returns the request to the client.
func (v *view) elicitation(id event.QuestionID, f *event.Elicitation) any {
	target := elicitationTarget{ServerName: f.Server, ThreadID: v.thread, TurnID: v.turn.id}
	if f.URL != "" {
		return elicitationURL{target, URLMcpServerElicitationRequestParams{ElicitationID: string(id), Message: f.Message, URL: f.URL}}
	}
	schema := McpElicitationSchema{}
	_ = json.Unmarshal(f.Schema, &schema) // the server's form was read: it is an object
	schema.Type = McpElicitationObjectTypeObject
	if schema.Properties == nil {
		schema.Properties = map[string]jsontext.Value{}
	}
	return elicitationForm{target, FormMcpServerElicitationRequestParams{Message: f.Message, RequestedSchema: schema}}
}

// decideElicitation takes the answer to what a tool server requests. What is no answer cancels it.
func (c *conn) decideElicitation(a asked, q event.Question, r response) {
	var answer McpServerElicitationRequestResponse
	var answers [][]string
	if r.decode(&answer) {
		switch accept, decline := q.Options[0].Label, q.Options[1].Label; answer.Action {
		case McpServerElicitationActionAccept:
			answers = [][]string{{accept}}
			if answer.Content.Kind() == jsontext.KindBeginObject {
				answers = [][]string{{accept, string(answer.Content)}}
			}
		case McpServerElicitationActionDecline:
			answers = [][]string{{decline}}
		}
	}
	if err := a.thread.client.AnswerQuestion(a.question, answers); err != nil {
		c.cfg.Log.Debug("answer too late", "thread", a.thread.id, "error", err)
	}
}

// pendingForm returns the question of a pending elicitation; false: the questions are none, or not pending any more.
func pendingForm(s *engine.Session, id event.QuestionID) (event.Question, bool) {
	_, questions := s.Waiting()
	for _, asked := range questions {
		if asked.ID == id && formOf(asked.Questions) != nil {
			return asked.Questions[0], true
		}
	}
	return event.Question{}, false
}
