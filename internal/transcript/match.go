package transcript

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A matcher compares one expected line with received ones: with several if it comes in pieces.
type matcher struct {
	binds  binds
	pieces bool
	whole  string                   // the string that is divided
	used   map[jsontext.Pointer]int // how much of it was received, at each position in the line
	open   bool                     // more pieces must follow
}

// line compares got with the expected line want. The error says where they differ. Names are bound
// even if a later part differs.
func (m *matcher) line(want, got string) error {
	m.open = false
	if !jsontext.Value(want).IsValid() {
		return m.text(want, got)
	}
	w := jsontext.NewDecoder(strings.NewReader(want))
	g := jsontext.NewDecoder(strings.NewReader(got))
	if err := m.value(w, g); err != nil {
		return err
	}
	if _, err := g.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("the line goes on after the JSON value")
	}
	return nil
}

// text compares lines that are not JSON.
func (m *matcher) text(want, got string) error {
	want = m.binds.expandText(want)
	if start, ok := strings.CutSuffix(want, "*"); ok && strings.HasPrefix(got, start) || want == got {
		return nil
	}
	return errors.New("the texts differ")
}

func (m *matcher) value(w, g *jsontext.Decoder) error {
	switch kind := w.PeekKind(); {
	case kind == '"':
		return m.string(w, g)
	case kind == '{' || kind == '[':
		if err := openBoth(w, g); err != nil {
			return err
		}
		for w.PeekKind() != '}' && w.PeekKind() != ']' {
			if err := m.element(w, g, kind == '{'); err != nil {
				return err
			}
		}
		return closeBoth(w, g)
	}
	wanted, err := w.ReadValue()
	if err != nil {
		return err
	}
	got, err := g.ReadValue()
	return differ(w, string(wanted), got, err, string(wanted) == string(got))
}

// openBoth reads the beginning of an object or array.
func openBoth(w, g *jsontext.Decoder) error {
	if g.PeekKind() != w.PeekKind() {
		wanted := w.PeekKind().String()
		if _, err := w.ReadToken(); err != nil {
			return err
		}
		got, err := g.ReadValue()
		return differ(w, wanted, got, err, false)
	}
	if _, err := w.ReadToken(); err != nil {
		return err
	}
	_, err := g.ReadToken()
	return err
}

// element compares one member of an object, or one element of an array.
func (m *matcher) element(w, g *jsontext.Decoder, named bool) error {
	if !named {
		if g.PeekKind() == ']' {
			return fmt.Errorf("%s: the array ends before %s", at(w), next(w))
		}
		return m.value(w, g)
	}
	name, err := w.ReadValue()
	if err != nil {
		return err
	}
	if g.PeekKind() == '}' {
		return fmt.Errorf("%s: the key is missing", at(w))
	}
	got, err := g.ReadValue()
	wanted := m.binds.expandText(plain(name))
	if err := differ(w, "the key "+string(name), got, err, wanted == plain(got)); err != nil {
		return err
	}
	return m.value(w, g)
}

// closeBoth reads the end of an object or array.
func closeBoth(w, g *jsontext.Decoder) error {
	if _, err := w.ReadToken(); err != nil {
		return err
	}
	if k := g.PeekKind(); k != '}' && k != ']' {
		return fmt.Errorf("%s: unexpected %s", at(w), next(g))
	}
	_, err := g.ReadToken()
	return err
}

func (m *matcher) string(w, g *jsontext.Decoder) error {
	raw, err := w.ReadValue()
	if err != nil {
		return err
	}
	wanted := plain(raw)
	got, err := g.ReadValue()
	if err != nil {
		return differ(w, wanted, got, err, false)
	}
	if wanted == "*" {
		return nil
	}
	if name, ok := wholeName(wanted); ok {
		bound, ok := m.binds[name]
		if !ok {
			m.binds[name] = got.Clone()
			return nil
		}
		return differ(w, fmt.Sprintf("$%s = %s", name, bound), got, nil, string(bound) == string(got))
	}
	return differ(w, string(raw), got, nil, got.Kind() == '"' && m.same(w.StackPointer(), m.binds.expandText(wanted), plain(got)))
}

// same compares strings. In a line of pieces one string, m.whole, may be only a part of the rest
// that is expected, at every position where the line contains it.
func (m *matcher) same(where jsontext.Pointer, wanted, got string) bool {
	rest := wanted[m.used[where]:]
	start, prefix := strings.CutSuffix(rest, "*")
	switch {
	case rest == got || prefix && strings.HasPrefix(got, start):
		return true
	case !m.pieces || got == "" || !strings.HasPrefix(rest, got) || len(m.used) > 0 && wanted != m.whole:
		return false
	}
	if m.used == nil {
		m.used = map[jsontext.Pointer]int{}
	}
	m.whole, m.open = wanted, true
	m.used[where] += len(got)
	return true
}

// differ returns nil if equal, otherwise an error with the expected value at w's position.
func differ(w *jsontext.Decoder, wanted string, got jsontext.Value, err error, equal bool) error {
	switch {
	case err != nil:
		return fmt.Errorf("%s: want %s, but the line is not JSON: %w", at(w), wanted, err)
	case equal:
		return nil
	}
	return fmt.Errorf("%s: want %s, got %s", at(w), wanted, got)
}

// at returns the position of d as a JSON pointer.
func at(d *jsontext.Decoder) string {
	if p := d.StackPointer(); p != "" {
		return string(p)
	}
	return "the line"
}

// next returns the kind of the next token of d.
func next(d *jsontext.Decoder) string {
	v, err := d.ReadValue()
	if err != nil {
		return err.Error()
	}
	return string(v)
}
