package rule

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// span is the longest match of a condition that is always found in a stream, in bytes. A longer
// one is found only if it ends within the first twice as many bytes.
const span = 512

// A condition is a regular expression that is searched for repeatedly in a growing text.
type condition struct {
	whole *regexp.Regexp
	rest  *regexp.Regexp // for a text without its beginning: nothing in it matches \A
}

func compile(text string) (condition, error) {
	if text == "" {
		return condition{}, errEmpty
	}
	whole, err := regexp.Compile(text)
	if err != nil {
		return condition{}, err
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return condition{}, err
	}
	rest, err := regexp.Compile(noBeginning(parsed).String())
	if err != nil {
		rest = whole
	}
	return condition{whole, rest}, nil
}

// noBeginning returns an expression that never matches the beginning of the text.
func noBeginning(e *syntax.Regexp) *syntax.Regexp {
	if e.Op == syntax.OpBeginText {
		return &syntax.Regexp{Op: syntax.OpNoMatch, Flags: e.Flags}
	}
	for i, sub := range e.Sub {
		e.Sub[i] = noBeginning(sub)
	}
	return e
}

func (c condition) found(t *tail) bool {
	if t.cut {
		return c.rest.MatchString(t.text)
	}
	return c.whole.MatchString(t.text)
}

// A tail is the end of a growing text.
type tail struct {
	text string
	cut  bool // the beginning is not in text
}

// add appends a piece. It removes whole lines at the beginning unless they are too long.
func (t *tail) add(piece string) {
	t.text += piece
	over := len(t.text) - span - len(piece)
	if over < span {
		return
	}
	if i := strings.IndexByte(t.text[over-span:over], '\n'); i >= 0 {
		over += i + 1 - span
	}
	for over > 0 && !utf8.RuneStart(t.text[over]) {
		over--
	}
	t.text, t.cut = t.text[over:], t.cut || over > 0
}
