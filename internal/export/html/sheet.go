package html

import (
	"io"
	"strings"
	"unicode/utf8"

	"parley.dev/parley/internal/invisible"
)

// A sheet writes HTML. Text of a session is written with text and open only, which escape it, or
// with rendered. Errors are returned when the sheet is flushed.
type sheet struct {
	w       io.StringWriter
	colours *colours // nil: none
}

// A markup is trusted HTML. Only constants may be converted to it.
type markup string

func (s *sheet) put(m markup) { s.w.WriteString(string(m)) } //nolint:errcheck // Flush returns it

// open begins an element with attributes: names and values in turn.
func (s *sheet) open(tag markup, attributes ...string) {
	s.put("<" + tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		s.put(markup(" " + attributes[i] + `="`))
		s.text(attributes[i+1])
		s.put(`"`)
	}
	s.put(">")
}

func (s *sheet) end(tag markup) { s.put("</" + tag + ">") }

// element writes an element that contains only text.
func (s *sheet) element(tag markup, text string, attributes ...string) {
	s.open(tag, attributes...)
	s.text(text)
	s.end(tag)
}

var escapes = map[byte]markup{'<': "&lt;", '>': "&gt;", '&': "&amp;", '"': "&#34;", '\'': "&#39;"}

// text writes t escaped, with visible signs for invisible characters.
func (s *sheet) text(t string) {
	for len(t) > 0 {
		i := strings.IndexAny(t, `<>&"'`)
		if i < 0 {
			s.visible(t)
			return
		}
		s.visible(t[:i])
		s.put(escapes[t[i]])
		t = t[i+1:]
	}
}

// rendered writes the output of the Markdown renderer.
func (s *sheet) rendered(html []byte) { s.visible(string(html)) }

// visible writes t with a visible sign for each character that would hide or reorder others.
func (s *sheet) visible(t string) {
	start := 0
	var prev rune
	for i := 0; i < len(t); {
		r, size := rune(t[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(t[i:])
		}
		sign := ""
		switch {
		case r == utf8.RuneError && size == 1:
			sign = "\uFFFD"
		case invisible.InText(prev, r):
			sign = invisible.Sign(r)
		}
		if sign != "" {
			s.w.WriteString(t[start:i]) //nolint:errcheck // Flush returns it
			s.w.WriteString(sign)       //nolint:errcheck // Flush returns it
			start = i + size
		}
		prev = r
		i += size
	}
	s.w.WriteString(t[start:]) //nolint:errcheck // Flush returns it
}
