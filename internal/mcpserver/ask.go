package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file asks the user of the client by elicitation.

// canAsk reports whether the client can show a form to its user.
func canAsk(client *sdk.ServerSession) bool {
	params := client.InitializeParams()
	if params == nil || params.Capabilities == nil || params.Capabilities.Elicitation == nil {
		return false
	}
	e := params.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil // one that names neither has forms
}

// ask runs work, which waits for the user, until it ends or withdraw is called with the id.
func (t *turn) ask(ctx context.Context, id string, work func(context.Context)) {
	ctx, t.open[id] = context.WithCancel(ctx)
	t.asking.Go(func() { work(ctx) })
}

// withdraw ends a request to the user that was answered, or whose turn was interrupted.
func (t *turn) withdraw(id string) {
	if cancel := t.open[id]; cancel != nil {
		cancel()
		delete(t.open, id)
	}
}

// The decisions about a call, as the user reads them.
const (
	allow        = "allow"
	allowSession = "allow for this session"
	deny         = "deny"
)

// maxShown bounds the input of a call that the user can be asked about, in bytes. The user reads all
// of it: what follows the part that is shown could be anything.
const maxShown = 64 << 10

// approve asks the user whether a call may run. What is not a clear answer denies, and so does a call
// that is too long to be shown.
func (t *turn) approve(ctx context.Context, e event.ApprovalAsked) {
	text := fmt.Sprintf("Parley wants to run the tool %s", e.Request.Tool)
	if e.Request.Command != "" {
		text += ":\n" + e.Request.Command
	} else {
		text += " with " + string(e.Input)
	}
	if len(text) > maxShown {
		t.decide(e.ID, engine.Decision{Reason: fmt.Sprintf("the call has %d bytes, too many for the user to read before it is approved; make it shorter", len(text))})
		return
	}
	for _, detail := range e.Details() {
		text += "\n- " + detail
	}
	schema := map[string]any{
		"type": "object",
		"properties": map[string]any{
			"decision": map[string]any{"type": "string", "title": "Decision", "enum": []string{allow, allowSession, deny}},
			"reason":   map[string]any{"type": "string", "title": "Reason", "description": "Of a denial; the model reads it"},
		},
		"required": []string{"decision"},
	}
	d := engine.Decision{}
	result, err := t.req.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: text, RequestedSchema: schema})
	switch {
	case ctx.Err() != nil:
		return // it was withdrawn
	case err != nil:
		d.Reason = "the approval could not be requested: " + err.Error()
	case result.Action == "accept":
		decision, _ := result.Content["decision"].(string)
		d.Allow = decision == allow || decision == allowSession
		d.Remember = decision == allowSession
		d.Reason, _ = result.Content["reason"].(string)
	}
	t.decide(e.ID, d)
}

// decide answers the approval of a call, unless that was decided before.
func (t *turn) decide(id event.ApprovalID, d engine.Decision) {
	if err := t.client.Answer(id, d); err != nil {
		t.server.cfg.Log.Debug("the answer came too late", "approval", id, "error", err)
	}
}

// choose asks the user the questions of a model.
func (t *turn) choose(ctx context.Context, e event.QuestionAsked) {
	properties, required := map[string]any{}, []string{}
	var text strings.Builder
	text.WriteString("Parley asks:")
	for i, q := range e.Questions {
		fmt.Fprintf(&text, "\n%d. %s", i+1, q.Text)
		for j, o := range q.Options {
			fmt.Fprintf(&text, "\n   - %s", strings.TrimSuffix(o.Label+": "+o.Description, ": "))
			if q.Multi {
				properties[member(i, j)] = map[string]any{"type": "boolean", "title": o.Label, "description": o.Description}
			}
		}
		if q.Multi && len(q.Options) > 0 {
			continue
		}
		property := map[string]any{"type": "string", "title": q.Text}
		if len(q.Options) > 0 {
			property["enum"] = labels(q)
		}
		properties[member(i, -1)] = property
		required = append(required, member(i, -1))
	}
	schema := map[string]any{"type": "object", "properties": properties, "required": required}
	result, err := t.req.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: text.String(), RequestedSchema: schema})
	var answers [][]string
	switch {
	case ctx.Err() != nil:
		return // they were withdrawn
	case err != nil:
		err = t.client.RefuseQuestion(e.ID, "the user could not be asked: "+err.Error())
	case result.Action == "accept":
		answers = answersOf(e.Questions, result.Content)
		err = t.client.AnswerQuestion(e.ID, answers)
	default:
		err = t.client.AnswerQuestion(e.ID, nil)
	}
	if err != nil {
		t.server.cfg.Log.Debug("the answers came too late", "question", e.ID, "error", err)
	}
}

// member returns the member of a form for a question, or for one option of it.
func member(question, option int) string {
	if option < 0 {
		return fmt.Sprintf("answer_%d", question+1)
	}
	return fmt.Sprintf("answer_%d_%d", question+1, option+1)
}

func labels(q event.Question) []string {
	var all []string
	for _, o := range q.Options {
		if !slices.Contains(all, o.Label) {
			all = append(all, o.Label)
		}
	}
	return all
}

// answersOf returns the answers in a form that was filled in.
func answersOf(questions []event.Question, form map[string]any) [][]string {
	answers := make([][]string, len(questions))
	for i, q := range questions {
		answers[i] = []string{}
		if text, ok := form[member(i, -1)].(string); ok {
			answers[i] = append(answers[i], text)
		}
		for j, o := range q.Options {
			if form[member(i, j)] == true {
				answers[i] = append(answers[i], o.Label)
			}
		}
	}
	return answers
}
