package console

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/terminal"
)

// fieldLines returns the complete members of a JSON object as lines: "name: value", and a value
// with several lines or members below its name, indented. Other text is returned unchanged. It
// omits the members named in leave.
func fieldLines(input jsontext.Value, leave ...string) []string {
	var f fields
	d := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowDuplicateNames(true))
	if input.Kind() != '{' || f.object(d, "", leave) != nil {
		return strings.Split(terminal.Exact(string(input)), "\n")
	}
	return f.lines
}

// fields collects lines.
type fields struct{ lines []string }

func (f *fields) add(indent, label, text string) {
	f.lines = append(f.lines, strings.TrimRight(indent+label+" "+text, " "))
}

// object reads an object whose label is written.
func (f *fields) object(d *jsontext.Decoder, indent string, leave []string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if slices.Contains(leave, name.String()) {
			if err := d.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if err := f.value(d, indent, inLine(name.String())+":"); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func (f *fields) array(d *jsontext.Decoder, indent string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := f.value(d, indent, "-"); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// value reads a value and writes it after its label, or below it.
func (f *fields) value(d *jsontext.Decoder, indent, label string) error {
	const step = "  "
	switch d.PeekKind() {
	case '{', '[':
		whole, err := d.ReadValue()
		if err != nil {
			return err
		}
		sub := jsontext.NewDecoder(bytes.NewReader(whole), jsontext.AllowDuplicateNames(true))
		f.add(indent, label, "")
		at := len(f.lines)
		if whole.Kind() == '{' {
			err = f.object(sub, indent+step, nil)
		} else {
			err = f.array(sub, indent+step)
		}
		if len(f.lines) == at {
			f.lines[at-1] += " " + string(whole) // {} or []
		}
		return err
	case '"':
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		f.text(indent, label, token.String())
		return nil
	case 0:
		return tokenError(d)
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	f.add(indent, label, string(raw))
	return nil
}

// tokenError returns why there is no next token.
func tokenError(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

func (f *fields) text(indent, label, text string) {
	switch {
	case text == "":
		f.add(indent, label, `""`)
	case strings.Contains(text, "\n"):
		f.add(indent, label, "")
		for line := range strings.SplitSeq(terminal.Exact(text), "\n") {
			f.lines = append(f.lines, indent+"  "+line)
		}
	default:
		f.lines = append(f.lines, indent+label+" "+terminal.Exact(text))
	}
}

// inLine returns text to be approved in one line: a line feed is shown as a sign.
func inLine(text string) string { return strings.ReplaceAll(terminal.Exact(text), "\n", "␊") }

// HasInvisible reports whether a string in input has a character that is not seen as what it is.
func HasInvisible(input jsontext.Value) bool {
	d := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return !errors.Is(err, io.EOF)
		}
		if token.Kind() == '"' && terminal.Exact(token.String()) != token.String() {
			return true
		}
	}
}
