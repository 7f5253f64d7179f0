package html

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/highlight"
)

// A member is a part of a call's input.
type member struct {
	name   string
	value  string // the text of a string; else JSON
	isText bool
}

// members returns the members of an input; nil if it is not an object.
func members(input jsontext.Value) []member {
	d := jsontext.NewDecoder(bytes.NewReader(input))
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	var list []member
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if value.Kind() == '"' {
			text, err := jsontext.AppendUnquote(nil, value)
			if err != nil {
				return nil
			}
			m.value, m.isText = string(text), true
		} else {
			m.value = string(value)
		}
		list = append(list, m)
	}
	return list
}

// input writes the input of a call: strings as text, everything else as JSON.
func (f *fold) input(c *call) {
	list := members(c.input)
	if list == nil {
		if len(c.input) > 0 && string(c.input) != "{}" {
			f.output(string(c.input), "json", "Input of "+c.name)
		}
		return
	}
	file := ""
	for _, m := range list {
		if m.isText && file == "" && strings.Contains(strings.ToLower(m.name), "path") {
			file = m.value
		}
	}
	f.put("<dl>\n")
	for _, m := range list {
		f.element("dt", m.name)
		f.put("<dd>")
		f.value(m, file)
		f.put("</dd>\n")
	}
	f.put("</dl>\n")
}

func (f *fold) value(m member, file string) {
	const short = 120 // bytes
	if len(m.value) <= short && !strings.Contains(m.value, "\n") {
		f.element("code", m.value)
		return
	}
	if m.isText {
		f.output(m.value, languageOfInput(m, file), m.name)
		return
	}
	pretty := jsontext.Value(m.value)
	if err := pretty.Indent(jsontext.WithIndent("  ")); err != nil {
		pretty = jsontext.Value(m.value)
	}
	f.output(string(pretty), "json", m.name)
}

func languageOfInput(m member, file string) string {
	switch strings.ToLower(m.name) {
	case "command", "cmd", "script":
		return "bash"
	case "patch", "diff":
		return "diff"
	}
	return highlight.LanguageOf(file)
}
