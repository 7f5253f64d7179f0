package tool

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A finder finds the lines of a text that a pattern matches.
type finder struct {
	*matcher
	literal   []byte // what every matching line contains; empty if nothing is known
	multiline bool   // a match may span lines
}

// maxPattern is how long a pattern can be, in bytes.
const maxPattern = 10_000

var errNewline = errors.New("the pattern contains a newline: set multiline to match across lines")

// newFinder compiles pattern in RE2 syntax. An error is a sentence for the model.
func newFinder(pattern string, ignoreCase, multiline bool) (*finder, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is too long: %d bytes", len(pattern))
	}
	flags := syntax.Perl &^ syntax.OneLine // ^ and $ match at every line
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	if multiline {
		flags |= syntax.DotNL
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	f := &finder{multiline: multiline}
	if !multiline {
		if err := withinLine(tree); err != nil {
			return nil, err
		}
		f.literal = []byte(required(tree))
	}
	if f.matcher, err = newMatcher(tree, multiline); err != nil {
		return nil, patternError(pattern, err)
	}
	if f.instructions > maxInstructions {
		return nil, fmt.Errorf("the pattern is too large: %d instructions, at most %d; lower the counts in {} or leave out alternatives", f.instructions, maxInstructions)
	}
	return f, nil
}

func patternError(pattern string, err error) error {
	reason := err.Error()
	hint := `put \ before a character that is meant literally`
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		reason = fmt.Sprintf("%s: %s", e.Code, e.Expr)
		if e.Code == syntax.ErrInvalidPerlOp || e.Code == syntax.ErrInvalidEscape {
			hint = "the syntax is RE2, which has no lookaround and no backreferences"
		}
	}
	return fmt.Errorf("the pattern %q is not valid (%s); %s", pattern, reason, hint)
}

// withinLine changes re so that it cannot match a newline. Then a search through a whole
// text finds what a search line by line would, only much faster. "$" also matches before
// the \r of a CRLF.
func withinLine(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return errNewline
		}
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		re.Rune = withoutNewline(re.Rune)
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText, syntax.OpEndLine:
		*re = syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
			{Op: syntax.OpQuest, Sub: []*syntax.Regexp{{Op: syntax.OpLiteral, Rune: []rune{'\r'}}}},
			{Op: syntax.OpEndLine},
		}}
		return nil
	}
	for _, sub := range re.Sub {
		if err := withinLine(sub); err != nil {
			return err
		}
	}
	return nil
}

// withoutNewline cuts \n out of a class: pairs of first and last rune.
func withoutNewline(class []rune) []rune {
	var out []rune
	for pair := range slices.Chunk(class, 2) {
		first, last := pair[0], pair[1]
		if first > '\n' || last < '\n' {
			out = append(out, first, last)
			continue
		}
		if first < '\n' {
			out = append(out, first, '\n'-1)
		}
		if last > '\n' {
			out = append(out, '\n'+1, last)
		}
	}
	return out
}

// required returns a text that stands in everything re matches, as long as can be determined
// easily; "" if none.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 || slices.Contains(re.Rune, utf8.RuneError) {
			return "" // the latter matches invalid bytes too
		}
		return string(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if text := required(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return strings.Clone(longest)
	}
	return ""
}
