package rule

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// span is how much text a condition can match that is looked for in a stream, in bytes. Longer
// ones are found only if they end where no more than twice as much was written.
const span = 512

// A condition is a regular expression that is looked for again and again in a text that grows.
type condition struct {
	whole *regexp.Regexp
	rest  *regexp.Regexp // for a text whose beginning was left out: nothing is its beginning
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

// noBeginning makes an expression match nothing where it wants the beginning of the text.
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

// A tail is the end of a text that grows.
type tail struct {
	text string
	cut  bool // there was more
}

// add is more of the text. A line is left out as a whole where lines are not too long.
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
