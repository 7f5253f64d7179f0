package acp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file sends questions to the user as forms.

// A forms is the plugin that offers questions to models only if the client can show forms.
type forms struct{ conn *conn }

var (
	_ engine.ToolFilter     = forms{}
	_ engine.QuestionFilter = forms{}
)

// OffersTool reports whether a tool is offered.
func (f forms) OffersTool(name string) bool { return name != toolAsk || f.AllowsQuestions() }

// AllowsQuestions reports whether the client can show forms.
func (f forms) AllowsQuestions() bool { return f.conn.forms.Load() }

// elicit returns the line that sends questions to the user; nil if the client cannot show forms. Then they have no answer,
// unless other clients of the session can give one.
func (s *session) elicit(q elicitation) []byte {
	if !s.conn.forms.Load() {
		if s.conn.cfg.Host.Holders(s.eng.ID()) <= 1 {
			_ = s.client.AnswerQuestion(q.question, nil) // answered meanwhile: nothing to do
		}
		return nil
	}
	id, ok := s.conn.requests.add(func(f jsonrpc.Frame) {
		_ = s.client.AnswerQuestion(q.question, answersOf(q.questions, f)) // settled meanwhile: nothing to do
	})
	if !ok {
		return nil
	}
	s.formRequests[q.question] = id
	q.params.SessionID = s.id
	return requestLine(id, "elicitation/create", q.params)
}

// withdrawQuestion returns the line that withdraws questions; nil if the client has answered them.
func (s *session) withdrawQuestion(question event.QuestionID) []byte {
	id, ok := s.formRequests[question]
	if !ok {
		return nil
	}
	delete(s.formRequests, question)
	return s.conn.requests.withdraw(id)
}

// form returns questions as a form.
func form(questions []event.Question) (message string, schema *FormSchema) {
	schema = &FormSchema{Type: "object", Properties: FormProperties{}}
	var texts []string
	for i, q := range questions {
		texts = append(texts, q.Text)
		name := fieldName(i)
		schema.Properties = append(schema.Properties, FormProperty{name, fieldOf(q)})
		if len(q.Options) > 0 {
			schema.Properties = append(schema.Properties, FormProperty{name + otherSuffix, FormField{Type: "string", Title: "Other words"}})
		}
	}
	return strings.Join(texts, "\n"), schema
}

// otherSuffix ends the name of the field for an answer in other words than those of the options.
const otherSuffix = "_other"

func fieldName(i int) string { return fmt.Sprintf("q%d", i+1) }

// fieldOf returns the field of a question.
func fieldOf(q event.Question) FormField {
	f := FormField{Type: "string", Title: q.Header, Description: q.Text}
	if f.Title == "" {
		f.Title, f.Description = q.Text, ""
	}
	var choices []FormChoice
	for _, o := range q.Options {
		choices = append(choices, FormChoice{o.Label, o.Label, o.Description})
	}
	switch {
	case q.Multi && len(choices) > 0:
		f.Type, f.Items = "array", &FormItems{choices}
	case len(choices) > 0:
		f.OneOf = choices
	}
	return f
}

// answersOf returns the answers in a response; nil if there are none, or it cannot be read.
func answersOf(questions []event.Question, f jsonrpc.Frame) [][]string {
	result, ok := decodeResult[ElicitationResult](f.Result)
	if f.Error != nil || !ok || result.Action != "accept" {
		return nil
	}
	answers := make([][]string, len(questions))
	for i := range questions {
		for _, name := range []string{fieldName(i), fieldName(i) + otherSuffix} {
			given, ok := textsOf(result.Content[name])
			if !ok {
				return nil
			}
			answers[i] = append(answers[i], given...)
		}
	}
	if !slices.ContainsFunc(answers, func(a []string) bool { return len(a) > 0 }) {
		return nil
	}
	return answers
}

// textsOf returns the value of a field, which is a text or a list of texts, without blank ones. It reports false if it is
// something else.
func textsOf(value jsontext.Value) (texts []string, ok bool) {
	switch value.Kind() {
	case jsontext.KindBeginArray:
		ok = json.Unmarshal(value, &texts) == nil
	case jsontext.KindString:
		texts = []string{""}
		ok = json.Unmarshal(value, &texts[0]) == nil
	case jsontext.KindNull:
		return nil, true
	default:
		return nil, len(value) == 0
	}
	return slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), ok
}
