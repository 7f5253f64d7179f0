package conversation

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A growth is output that grows, of which the last OutputLimit bytes are known. What it returned before stays good, and
// nothing is copied for each piece.
type growth struct {
	all strings.Builder
	cut bool // the beginning is gone
}

func (g *growth) add(text string) {
	if g.all.Len()+len(text) > 2*OutputLimit {
		rest := suffix(g.all.String()+suffix(text, OutputLimit), OutputLimit)
		g.all = strings.Builder{}
		g.all.Grow(2 * OutputLimit)
		g.all.WriteString(rest)
		g.cut = true
		return
	}
	g.all.WriteString(text)
}

// text returns the last bytes of it, and whether there were others before.
func (g *growth) text() (text string, cut bool) {
	text = suffix(g.all.String(), OutputLimit)
	return text, g.cut || len(text) < g.all.Len()
}

// suffix returns the last bytes of a text, at most limit, from the beginning of a character on.
func suffix(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[len(text)-limit:]
	for i := range min(len(text), utf8.UTFMax) {
		if utf8.RuneStart(text[i]) {
			return text[i:]
		}
	}
	return text
}

// plainText returns a text without escape sequences, control characters, and blanks at the ends of its lines. What follows a carriage
// return replaces its line, as in what the journal has of an output.
func plainText(text string) string {
	var all, line []byte
	returned := false
	for text != "" {
		switch b := text[0]; {
		case b == '\x1b':
			text = text[sequence(text):]
			continue
		case b == '\n':
			all = append(append(all, bytes.TrimRight(line, " \t")...), '\n')
			line, returned = line[:0], false
		case b == '\r':
			returned = true
		case b >= ' ' && b != 0x7f || b == '\t':
			if returned {
				line, returned = line[:0], false
			}
			line = append(line, b)
		}
		text = text[1:]
	}
	return string(bytes.TrimSpace(append(all, line...)))
}

// sequence returns the length of the escape sequence that a text begins with.
func sequence(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[': // up to a final byte
		for i := 2; i < len(text); i++ {
			if text[i] >= '@' && text[i] <= '~' {
				return i + 1
			}
		}
		return len(text)
	case ']', 'P', 'X', '^', '_': // a string, up to BEL or ST
		for i := 2; i < len(text); i++ {
			if text[i] == '\a' {
				return i + 1
			}
			if text[i] == '\x1b' {
				return min(i+2, len(text))
			}
		}
		return len(text)
	}
	return 2
}
