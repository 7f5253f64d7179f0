// Package form turns the forms of MCP elicitation into questions for a user, and the answers into
// the values that a server gets. Package mcp asks the user.
package form

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/event"
)

// Limits of a form.
const (
	maxFields  = 30
	maxOptions = 100
)

// A Form is the fields that a server asks for, in the order of its schema.
type Form struct {
	Fields []Field
}

// A Field is one value that a server asks for.
type Field struct {
	Name     string
	Required bool

	kind     string // string, number, integer, boolean or array
	title    string
	about    string
	choices  []choice // of an enum; empty: any value
	fallback any      // the default; nil: there is none
	schema   *jsonschema.Resolved
	hint     string // what is accepted, for the user
}

// A choice is a value of an enum.
type choice struct{ value, label string }

// property is a field as its schema describes it.
type property struct {
	Type        string         `json:"type"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Default     jsontext.Value `json:"default"`
	Enum        []string       `json:"enum"`
	EnumNames   []string       `json:"enumNames"`
	OneOf       []titled       `json:"oneOf"`
	Items       *struct {
		Enum  []string `json:"enum"`
		AnyOf []titled `json:"anyOf"`
	} `json:"items"`
	Format    string   `json:"format"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MinLength *int     `json:"minLength"`
	MaxLength *int     `json:"maxLength"`
	MinItems  *int     `json:"minItems"`
	MaxItems  *int     `json:"maxItems"`
}

// titled is a value of an enum with a name for the user.
type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// Parse reads the requestedSchema of an elicitation; show makes texts of the server fit to be shown.
// No schema is a form without fields.
func Parse(schema jsontext.Value, show func(string) string) (Form, error) {
	var form Form
	if len(schema) == 0 || schema.Kind() == 'n' {
		return form, nil
	}
	var root struct {
		Type       string         `json:"type"`
		Properties jsontext.Value `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(schema, &root); err != nil {
		return form, errors.New("the schema of the form cannot be read")
	}
	if root.Type != "" && root.Type != "object" {
		return form, fmt.Errorf("the schema of the form is of type %q, not object", root.Type)
	}
	names, values, err := members(root.Properties)
	if err != nil {
		return form, errors.New("the properties of the form cannot be read")
	}
	if len(names) > maxFields {
		return form, fmt.Errorf("the form has %d fields; at most %d are asked for", len(names), maxFields)
	}
	for i, name := range names {
		field, err := parseField(name, values[i], show)
		if err != nil {
			return form, fmt.Errorf("the field %q: %w", show(name), err)
		}
		field.Required = slices.Contains(root.Required, name)
		form.Fields = append(form.Fields, field)
	}
	return form, nil
}

// members returns the members of an object in their order.
func members(object jsontext.Value) (names []string, values []jsontext.Value, err error) {
	if len(object) == 0 {
		return nil, nil, nil
	}
	in := jsontext.NewDecoder(strings.NewReader(string(object)))
	if token, err := in.ReadToken(); err != nil || token.Kind() != '{' {
		return nil, nil, errors.New("not an object")
	}
	for in.PeekKind() != '}' {
		token, err := in.ReadToken()
		if err != nil {
			return nil, nil, err
		}
		name := token.String()
		value, err := in.ReadValue()
		if err != nil {
			return nil, nil, err
		}
		names, values = append(names, name), append(values, value.Clone())
	}
	return names, values, nil
}

func parseField(name string, value jsontext.Value, show func(string) string) (Field, error) {
	var p property
	if err := json.Unmarshal(value, &p); err != nil {
		return Field{}, errors.New("its schema cannot be read")
	}
	f := Field{Name: name, kind: p.Type, title: show(p.Title), about: show(p.Description)}
	if f.title == "" {
		f.title = show(name)
	}
	switch p.Type {
	case "string":
		f.choices = choicesOf(p.Enum, p.EnumNames, p.OneOf)
	case "number", "integer", "boolean":
	case "array":
		if p.Items != nil {
			f.choices = choicesOf(p.Items.Enum, nil, p.Items.AnyOf)
		}
		if len(f.choices) == 0 {
			return Field{}, errors.New("only lists of an enum can be asked for")
		}
	default:
		return Field{}, fmt.Errorf("the type %q cannot be asked for", show(p.Type))
	}
	if len(f.choices) > maxOptions {
		return Field{}, fmt.Errorf("it has %d values to choose from; at most %d can be shown", len(f.choices), maxOptions)
	}
	f.label(show)
	f.hint = p.hint()
	var schema jsonschema.Schema
	if err := json.Unmarshal(value, &schema); err != nil {
		return Field{}, errors.New("its schema cannot be read")
	}
	var err error
	if f.schema, err = schema.Resolve(nil); err != nil {
		return Field{}, errors.New("its schema cannot be used")
	}
	if len(p.Default) > 0 && json.Unmarshal(p.Default, &f.fallback) == nil && f.fallback != nil && f.check(f.fallback) != nil {
		f.fallback = nil
	}
	return f, nil
}

func choicesOf(values, names []string, entries []titled) []choice {
	var choices []choice
	for i, value := range values {
		c := choice{value, value}
		if len(names) == len(values) {
			c.label = names[i]
		}
		choices = append(choices, c)
	}
	for _, entry := range entries {
		choices = append(choices, choice{entry.Const, entry.Title})
	}
	return choices
}

// label makes labels that can be shown and are distinct.
func (f *Field) label(show func(string) string) {
	count := map[string]int{}
	for i, c := range f.choices {
		label := show(c.label)
		if label == "" {
			label = show(c.value)
		}
		f.choices[i].label = label
		count[label]++
	}
	for i, c := range f.choices {
		if count[c.label] > 1 {
			f.choices[i].label = fmt.Sprintf("%s (%d)", c.label, i+1)
		}
	}
}

// hint returns what the property accepts; it may be "".
func (p property) hint() string {
	var parts []string
	switch {
	case p.Type == "integer":
		parts = append(parts, "a whole number")
	case p.Type == "number":
		parts = append(parts, "a number")
	case p.Format == "email":
		parts = append(parts, "an e-mail address")
	case p.Format == "uri":
		parts = append(parts, "an address")
	case p.Format == "date":
		parts = append(parts, "a date, as 2006-01-02")
	case p.Format == "date-time":
		parts = append(parts, "a time, as 2006-01-02T15:04:05Z")
	}
	bound := func(format string, value any, isSet bool) {
		if isSet {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	bound("at least %v", deref(p.Minimum), p.Minimum != nil)
	bound("at most %v", deref(p.Maximum), p.Maximum != nil)
	bound("at least %v characters", deref(p.MinLength), p.MinLength != nil && *p.MinLength > 1)
	bound("at most %v characters", deref(p.MaxLength), p.MaxLength != nil)
	bound("at least %v of them", deref(p.MinItems), p.MinItems != nil && *p.MinItems > 0)
	bound("at most %v of them", deref(p.MaxItems), p.MaxItems != nil)
	return strings.Join(parts, ", ")
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// The labels of a boolean.
const (
	yes = "Yes"
	no  = "No"
)

// unanswered is the choice of no value at all.
const unanswered = "(no answer)"

// Question returns the field as a question; problem is what is wrong with the answer before, or "".
func (f Field) Question(problem string) event.Question {
	text := f.title
	if f.about != "" {
		text += ": " + f.about
	}
	var notes []string
	if f.hint != "" {
		notes = append(notes, f.hint)
	}
	switch {
	case f.fallback != nil:
		notes = append(notes, "default: "+f.shown(f.fallback))
	case !f.Required:
		notes = append(notes, "optional")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	if problem != "" {
		text = "Not accepted: " + problem + ". " + text
	}
	q := event.Question{Text: text, Header: f.title, Multi: f.kind == "array"}
	for _, c := range f.choices {
		q.Options = append(q.Options, event.Option{Label: c.label})
	}
	if f.kind == "boolean" {
		q.Options = []event.Option{{Label: yes}, {Label: no}}
	}
	if len(q.Options) > 0 && !q.Multi && !f.Required && f.fallback == nil {
		q.Options = append(q.Options, event.Option{Label: unanswered})
	}
	return q
}

// shown returns a value in the words of the form.
func (f Field) shown(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return yes
		}
		return no
	case []any:
		var labels []string
		for _, one := range v {
			labels = append(labels, f.shown(one))
		}
		return strings.Join(labels, ", ")
	case string:
		for _, c := range f.choices {
			if c.value == v {
				return c.label
			}
		}
		if utf8.RuneCountInString(v) > 80 {
			return string([]rune(v)[:80]) + "…"
		}
		return strconv.Quote(v)
	}
	return fmt.Sprint(value)
}

// Value returns the value of an answer; nil: there is none, and none is needed. The error says to the
// user why the answer is not accepted.
func (f Field) Value(answer []string) (any, error) {
	given := slices.DeleteFunc(slices.Clone(answer), func(s string) bool { return strings.TrimSpace(s) == "" || s == unanswered })
	if len(given) == 0 {
		switch {
		case f.fallback != nil:
			return f.fallback, nil
		case f.Required:
			return nil, errors.New("an answer is needed")
		}
		return nil, nil
	}
	value, err := f.read(given)
	if err != nil {
		return nil, err
	}
	return value, f.check(value)
}

func (f Field) read(given []string) (any, error) {
	if f.kind == "array" {
		var values []any
		for _, one := range given {
			value, err := f.chosen(one)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		return values, nil
	}
	if len(given) > 1 {
		return nil, errors.New("one answer is needed, not several")
	}
	text := strings.TrimSpace(given[0])
	switch f.kind {
	case "boolean":
		switch strings.ToLower(text) {
		case "yes", "y", "true":
			return true, nil
		case "no", "n", "false":
			return false, nil
		}
		return nil, errors.New("the answer is yes or no")
	case "integer", "number":
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return nil, errors.New("the answer is a number")
		}
		if f.kind == "integer" && number != math.Trunc(number) {
			return nil, errors.New("the answer is a whole number")
		}
		return number, nil
	}
	if len(f.choices) > 0 {
		return f.chosen(text)
	}
	return given[0], nil
}

// chosen returns the value of a choice, by its label or by itself.
func (f Field) chosen(text string) (any, error) {
	for _, c := range f.choices {
		if text == c.label {
			return c.value, nil
		}
	}
	for _, c := range f.choices {
		if text == c.value {
			return c.value, nil
		}
	}
	return nil, errors.New("the answer is one of those that are offered")
}

// check holds a value against the schema of the field.
func (f Field) check(value any) error {
	if err := f.schema.Validate(value); err != nil {
		if f.hint != "" {
			return errors.New("the answer must be " + f.hint)
		}
		return errors.New("the answer does not fit what the server asks for")
	}
	return checkFormat(f.schema.Schema().Format, value)
}

// Defaults returns the content of a form that is accepted as it is; false: it has a required field
// without a default.
func (f Form) Defaults() (map[string]any, bool) {
	content := map[string]any{}
	for _, field := range f.Fields {
		value, err := field.Value(nil)
		if err != nil {
			return nil, false
		}
		if value != nil {
			content[field.Name] = value
		}
	}
	return content, true
}

// Fill returns the values of a form that was filled in as a whole, and by field what is wrong with its value. Members that the form does
// not have are left out; a field without a value has its default.
func (f Form) Fill(object jsontext.Value) (content map[string]any, problems map[string]string) {
	var given map[string]any
	_ = json.Unmarshal(object, &given) // something else has no values
	content, problems = map[string]any{}, map[string]string{}
	for _, field := range f.Fields {
		value := given[field.Name]
		var err error
		if value == nil {
			value, err = field.Value(nil)
		} else {
			err = field.check(value)
		}
		switch {
		case err != nil:
			problems[field.Name] = err.Error()
		case value != nil:
			content[field.Name] = value
		}
	}
	return content, problems
}
