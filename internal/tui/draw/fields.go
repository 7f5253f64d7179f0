package draw

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// fields returns the members of the input of a call exactly: those that are text with their lines below their names,
// and the others as JSON. Those named in leave are left out. Other input is returned as it is.
func (d *Drawer) fields(input jsontext.Value, leave ...string) []line {
	decoder := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowDuplicateNames(true))
	var lines []line
	if input.Kind() != '{' {
		return d.exact(string(input))
	}
	if _, err := decoder.ReadToken(); err != nil {
		return d.exact(string(input))
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return d.exact(string(input))
		}
		label := name.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return d.exact(string(input))
		}
		if slices.Contains(leave, label) {
			continue
		}
		text := string(value)
		if value.Kind() == '"' {
			if unquoted, err := jsontext.AppendUnquote(nil, value); err == nil && len(unquoted) > 0 {
				text = string(unquoted)
			}
		}
		head := append(line{}, joined(d.exact(label))...)
		for i := range head {
			head[i].style = head[i].style.over(d.palette[Faint])
		}
		head = append(head, d.text(Faint, ":"))
		body := d.exact(text)
		if len(body) == 1 {
			lines = append(lines, append(append(head, span{text: " "}), body[0]...))
			continue
		}
		lines = append(lines, head)
		lines = append(lines, indent(body, line{{text: "  "}}, line{{text: "  "}})...)
	}
	return lines
}

// exact divides text that is about to be approved into lines.
func (d *Drawer) exact(text string) []line { return exact(text, style{}, d.palette[invisibleRole]) }

// exactLine returns text that is about to be approved in one line: a line feed is shown as a sign.
func (d *Drawer) exactLine(text string) line { return joined(d.exact(text)) }

// joined returns lines as one, with signs in place of the line feeds.
func joined(lines []line) line {
	var l line
	for i, part := range lines {
		if i > 0 {
			l = append(l, span{text: "␊"})
		}
		l = append(l, part...)
	}
	return l
}
