package page

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sheet writes HTML. What came from a session goes through text and open only, which
// escape it, or through rendered. Errors are kept until the sheet is flushed.
type sheet struct {
	w       io.StringWriter
	colours *colours // nil: none
}

// A markup is HTML of our own. Constants become one by themselves; nothing else may.
type markup string

func (s *sheet) put(m markup) { s.w.WriteString(string(m)) } //nolint:errcheck // Flush tells

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

// element is a whole element with nothing but text in it.
func (s *sheet) element(tag markup, text string, attributes ...string) {
	s.open(tag, attributes...)
	s.text(text)
	s.end(tag)
}

var escapes = map[byte]markup{'<': "&lt;", '>': "&gt;", '&': "&amp;", '"': "&#34;", '\'': "&#39;"}

// text writes t so that all of it is seen, and none of it is markup.
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

// rendered writes what the Markdown renderer made.
func (s *sheet) rendered(html []byte) { s.visible(string(html)) }

// visible writes t with a visible sign for each character that would hide or reorder others.
func (s *sheet) visible(t string) {
	start := 0
	for i := 0; i < len(t); {
		r, size := rune(t[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(t[i:])
		}
		if sign := signFor(r, size); sign != "" {
			s.w.WriteString(t[start:i]) //nolint:errcheck // Flush tells
			s.w.WriteString(sign)       //nolint:errcheck // Flush tells
			start = i + size
		}
		i += size
	}
	s.w.WriteString(t[start:]) //nolint:errcheck // Flush tells
}

const hex = "0123456789ABCDEF"

// signFor is what stands for a character that may not be on a page itself; "" if it may.
func signFor(r rune, size int) string {
	switch {
	case r == '\n' || r == '\t':
		return ""
	case r < ' ':
		return string('␀' + r)
	case r == 0x7f:
		return "␡"
	case r == utf8.RuneError && size == 1:
		return "\uFFFD"
	case unicode.Is(unicode.Bidi_Control, r), unicode.IsControl(r), r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		return "⟨U+" + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}) + "⟩"
	}
	return ""
}
