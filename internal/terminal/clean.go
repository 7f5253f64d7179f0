package terminal

import (
	"strings"
	"unicode/utf8"

	"parley.dev/parley/internal/invisible"
	"parley.dev/parley/internal/text"
)

// Clean returns text for a terminal: it replaces each character that could control the terminal,
// change the direction of text or hide by a sign, and each byte that is not UTF-8 by U+FFFD. Line
// feeds and tabs stay; CR LF becomes LF. Text that is clean is returned unchanged.
func Clean(text string) string {
	if isClean(text) {
		return text
	}
	var c cleaner
	return string(c.flush(c.append(make([]byte, 0, len(text)+16), []byte(text))))
}

// Line returns text for one line or a cell of a table: runs of white space become one space, and
// the rest is as Clean returns it.
func Line(s string) string { return Clean(text.OneLine(s)) }

// Exact returns text that is about to be approved: unlike in Clean, blanks other than the space,
// joiners, private characters and CR before LF get a sign, too.
func Exact(text string) string {
	var b strings.Builder
	for _, r := range text {
		if invisible.Is(r) {
			b.WriteString(invisible.Sign(r))
		} else {
			b.WriteRune(r) // U+FFFD for what is not UTF-8
		}
	}
	return b.String()
}

func isClean(text string) bool {
	var prev rune
	for i, r := range text {
		if invisible.InText(prev, r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return false
		}
		prev = r
	}
	return true
}

// A cleaner cleans text that arrives in pieces.
type cleaner struct {
	prev    rune   // the previous character
	partial []byte // the beginning of a character, or a CR, that the next piece may complete
}

// append appends the clean form of text to out.
func (c *cleaner) append(out, text []byte) []byte {
	if len(c.partial) > 0 {
		text = append(c.partial, text...)
		c.partial = nil
	}
	for len(text) > 0 {
		if text[0] == '\r' {
			if len(text) == 1 {
				c.partial = []byte{'\r'}
				return out
			}
			if text[1] == '\n' {
				text = text[1:]
			}
		} else if !utf8.FullRune(text) {
			c.partial = append([]byte(nil), text...)
			return out
		}
		r, size := utf8.DecodeRune(text)
		out = c.appendRune(out, r)
		text = text[size:]
	}
	return out
}

// flush appends the partial character.
func (c *cleaner) flush(out []byte) []byte {
	for _, r := range string(c.partial) {
		out = c.appendRune(out, r)
	}
	c.partial = nil
	return out
}

func (c *cleaner) appendRune(out []byte, r rune) []byte {
	if invisible.InText(c.prev, r) {
		out = append(out, invisible.Sign(r)...)
	} else {
		out = utf8.AppendRune(out, r)
	}
	c.prev = r
	return out
}
