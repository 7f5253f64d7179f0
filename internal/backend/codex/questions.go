package codex

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
)

// ask yields questions of the model.
func (t *turn) ask(f rpc.Frame) {
	var p questionParams
	if json.Unmarshal(f.Params, &p) != nil || len(p.Questions) == 0 {
		refuse(t.agent.conn, f)
		return
	}
	var questions []event.Question
	for _, q := range p.Questions {
		next := event.Question{Text: q.Question, Header: q.Header}
		for _, o := range q.Options {
			next.Options = append(next.Options, event.Option{Label: o.Label, Description: o.Description})
		}
		questions = append(questions, next)
	}
	t.question(f, questions, func(answers [][]string, err error) any {
		result := questionResult{map[string]questionAnswer{}}
		for i, q := range p.Questions {
			if err == nil && i < len(answers) {
				result.Answers[q.ID] = questionAnswer{slices.Concat([]string{}, answers[i])}
			}
		}
		return result
	})
}

// question yields questions whose answer to the agent the function makes.
func (t *turn) question(f rpc.Frame, questions []event.Question, answer func([][]string, error) any) {
	t.asks.Add(1)
	done := sync.OnceFunc(func() { t.asks.Add(-1) })
	t.send(backend.Question{Questions: questions, Answer: func(answers [][]string, err error) {
		done()
		_ = t.agent.conn.Reply(f.ID, answer(answers, err)) // the reader finds out that the process is gone
	}}, nil)
}

// elicit yields what a tool server asks the user, or the agent about a call of its tools.
func (t *turn) elicit(f rpc.Frame) {
	var p elicitationParams
	if json.Unmarshal(f.Params, &p) != nil {
		refuse(t.agent.conn, f)
		return
	}
	if c := t.serverCall(p); c != nil {
		c.asked = true
		t.wait(f, c, "", func(v backend.Verdict) any {
			return elicitationResult{Action: decisionOf(v, "accept", "decline", "cancel"), Content: map[string]any{}}
		})
		return
	}
	form := formOf(p)
	if p.Meta.ApprovalKind != "" || form == nil {
		refuse(t.agent.conn, f)
		return
	}
	var questions []event.Question
	for _, field := range form {
		questions = append(questions, field.question(p))
	}
	t.question(f, questions, func(answers [][]string, err error) any {
		content := map[string]any{}
		for i, field := range form {
			if err != nil || i >= len(answers) {
				return elicitationResult{Action: "decline"}
			}
			if value, ok := field.value(answers[i]); ok {
				content[field.name] = value
			} else if field.required {
				return elicitationResult{Action: "decline"}
			}
		}
		delete(content, "")
		return elicitationResult{Action: "accept", Content: content}
	})
}

// serverCall returns the call that an elicitation asks about; nil: it is a question.
func (t *turn) serverCall(p elicitationParams) *call {
	if p.Meta.ApprovalKind != "mcp_tool_call" {
		return nil
	}
	for _, c := range t.order {
		if c.Type == "mcpToolCall" && c.Server == p.ServerName && (c.Tool == p.Meta.ToolName || p.Meta.ToolName == "") && !c.asked && !c.ended {
			return c
		}
	}
	return nil
}

// A field is a value that a tool server asks for.
type field struct {
	name        string // "": of no form, the answer is yes
	required    bool
	Type        string   `json:"type"` // string, number, integer, boolean, array
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	OneOf       []choice `json:"oneOf"`
	Items       struct {
		Enum  []string `json:"enum"`
		AnyOf []choice `json:"anyOf"`
	} `json:"items"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// formOf returns what an elicitation asks for; nil: it cannot be asked here. A page to be opened is a question whether it was.
func formOf(p elicitationParams) (form []field) {
	if p.Mode == "url" || p.Mode == "" && p.URL != "" {
		return []field{{Type: "boolean", Description: p.URL}}
	}
	if p.Mode != "form" && p.Mode != "" {
		return nil
	}
	var schema struct {
		Properties jsontext.Value `json:"properties"`
		Required   []string       `json:"required"`
	}
	var properties map[string]field
	if json.Unmarshal(p.RequestedSchema, &schema) != nil || schema.Properties != nil && json.Unmarshal(schema.Properties, &properties) != nil {
		return nil
	}
	for name, f := range properties {
		f.name, f.required = name, slices.Contains(schema.Required, name)
		form = append(form, f)
	}
	slices.SortFunc(form, func(a, b field) int { return strings.Compare(a.name, b.name) }) // the agent does not keep an order
	if form == nil {
		form = []field{{Type: "boolean"}}
	}
	return form
}

// choices returns the values that may be chosen; nil: all.
func (f field) choices() (all []choice) {
	for _, value := range slices.Concat(f.Enum, f.Items.Enum) {
		all = append(all, choice{value, value})
	}
	all = append(all, slices.Concat(f.OneOf, f.Items.AnyOf)...)
	if f.Type == "boolean" {
		all = []choice{{"true", "yes"}, {"false", "no"}}
	}
	return all
}

func (f field) question(p elicitationParams) event.Question {
	q := event.Question{Text: p.Message, Header: firstOf(f.Title, f.name), Multi: f.Type == "array"}
	if f.Description != "" {
		q.Text += "\n" + f.Description
	}
	for _, c := range f.choices() {
		q.Options = append(q.Options, event.Option{Label: firstOf(c.Title, c.Const)})
	}
	return q
}

// value returns an answer as the server wants it; false: there is none.
func (f field) value(answer []string) (value any, ok bool) {
	var all []string
	for _, text := range answer {
		for _, c := range f.choices() {
			if text == firstOf(c.Title, c.Const) {
				text = c.Const
			}
		}
		all = append(all, text)
	}
	if f.Type == "array" {
		return slices.Concat([]string{}, all), true
	}
	if len(all) == 0 || all[0] == "" {
		return nil, false
	}
	switch f.Type {
	case "boolean":
		yes, err := strconv.ParseBool(all[0])
		return yes, err == nil && (yes || f.name != "")
	case "number", "integer":
		n, err := strconv.ParseFloat(all[0], 64)
		return n, err == nil
	}
	return all[0], true
}
