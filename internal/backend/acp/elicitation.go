package acp

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// elicit yields what the agent asks the user.
func (t *turn) elicit(f rpc.Frame) {
	var p elicitationParams
	ours := func() bool {
		return p.SessionID == t.agent.ID() || p.SessionID == "" && jsonrpc.ID(p.RequestID) == t.prompt
	}
	if json.Unmarshal(f.Params, &p) != nil || !ours() {
		refuse(t.agent.conn, f)
		return
	}
	form, ok := formOf(p)
	if !ok {
		refuse(t.agent.conn, f)
		return
	}
	t.releaseKnown()
	answer := t.await(f, elicitationResult{Action: "cancel"})
	call := ""
	if c := t.calls[p.ToolCallID]; c != nil {
		call = c.ID
		t.release(c)
	}
	t.send(backend.Question{Call: call, Questions: form.questions(), Answer: func(answers [][]string, err error) {
		if err != nil {
			answer(elicitationResult{Action: "cancel"})
			return
		}
		answer(form.result(answers))
	}}, nil)
}

// A form is what an elicitation asks for.
type form struct {
	message  string
	fields   []field // empty: whether the user agrees
	required []string
}

// A field is a value of a form.
type field struct {
	name  string
	other string // name of the field for text that is none of the options; "": there is none
	property
}

// The options of a form without fields, and of values that are true or false.
const (
	yes = "Yes"
	no  = "No"
)

// otherSuffix ends the name of a field for text in place of the options of another field, as claude-agent-acp has them.
const otherSuffix = "_custom"

// formOf returns the form of an elicitation. False: it cannot be read.
func formOf(p elicitationParams) (f form, ok bool) {
	f = form{message: p.Message, required: p.RequestedSchema.Required}
	if p.Mode == "url" {
		f.message = strings.TrimSpace(p.Message + "\n" + p.URL)
		return f, p.URL != ""
	}
	properties, ok := propertiesOf(p.RequestedSchema.Properties)
	if !ok || p.Mode != "form" {
		return f, false
	}
	for _, one := range properties {
		if i := slices.IndexFunc(f.fields, func(earlier field) bool { return earlier.name+otherSuffix == one.name }); i >= 0 && f.fields[i].options() != nil {
			f.fields[i].other = one.name
			continue
		}
		f.fields = append(f.fields, one)
	}
	return f, true
}

// propertiesOf returns the properties of a form in their order.
func propertiesOf(value jsontext.Value) (all []field, ok bool) {
	if value == nil || value.Kind() == jsontext.KindNull {
		return nil, true
	}
	d := jsontext.NewDecoder(bytes.NewReader(value))
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginObject {
		return nil, false
	}
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		one := field{name: name.String()}
		if json.UnmarshalDecode(d, &one.property) != nil {
			return nil, false
		}
		all = append(all, one)
	}
	_, err := d.ReadToken()
	return all, err == nil
}

// options returns the values from which one is chosen; nil: any text.
func (p property) options() []enumOption {
	if p.Type == "boolean" {
		return []enumOption{{Const: "true", Title: yes}, {Const: "false", Title: no}}
	}
	all := slices.Concat(p.OneOf, p.Items.AnyOf)
	for _, value := range slices.Concat(p.Enum, p.Items.Enum) {
		all = append(all, enumOption{Const: value})
	}
	return all
}

// questions returns the form as questions for the user.
func (f form) questions() []event.Question {
	if len(f.fields) == 0 {
		return []event.Question{{Text: f.message, Options: []event.Option{{Label: yes}, {Label: no}}}}
	}
	var all []event.Question
	for i, one := range f.fields {
		q := event.Question{Text: cmp.Or(one.Description, one.Title, one.name), Header: one.Title, Multi: one.Type == "array"}
		switch {
		case len(f.fields) == 1 && one.Description == "":
			q.Text = cmp.Or(f.message, q.Text)
		case i == 0 && f.message != "":
			q.Text = f.message + "\n" + q.Text
		}
		for _, o := range one.options() {
			q.Options = append(q.Options, event.Option{Label: cmp.Or(o.Title, o.Const), Description: o.Description})
		}
		all = append(all, q)
	}
	return all
}

// result returns the answers of the user as the agent takes them. A form that they do not fit is declined.
func (f form) result(answers [][]string) elicitationResult {
	if len(f.fields) == 0 {
		if len(answers) == 1 && slices.Equal(answers[0], []string{yes}) {
			return elicitationResult{Action: "accept"}
		}
		return elicitationResult{Action: "decline"}
	}
	values := map[string]any{}
	for i, one := range f.fields {
		if i >= len(answers) || len(answers[i]) == 0 {
			continue
		}
		if name, value, ok := one.value(answers[i]); ok {
			values[name] = value
		}
	}
	for _, name := range f.required {
		if _, ok := values[name]; !ok {
			return elicitationResult{Action: "decline"}
		}
	}
	content, err := json.Marshal(values, json.Deterministic(true))
	if err != nil { // a number that JSON does not have
		return elicitationResult{Action: "decline"}
	}
	return elicitationResult{Action: "accept", Content: content}
}

// value returns an answer as the value of a field. False: it is none.
func (one field) value(answer []string) (name string, value any, ok bool) {
	options := one.options()
	var values []string
	for _, text := range answer {
		i := slices.IndexFunc(options, func(o enumOption) bool { return cmp.Or(o.Title, o.Const) == text })
		switch {
		case i >= 0:
			values = append(values, options[i].Const)
		case options == nil:
			values = append(values, text)
		default:
			return one.other, text, one.other != ""
		}
	}
	text := values[0]
	var err error
	switch one.Type {
	case "array":
		value = values
	case "boolean":
		value = text == "true"
	case "integer":
		value, err = strconv.ParseInt(text, 10, 64)
	case "number":
		value, err = strconv.ParseFloat(text, 64)
	default:
		value = text
	}
	return one.name, value, err == nil
}
