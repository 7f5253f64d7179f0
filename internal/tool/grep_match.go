package tool

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Bounds of the effort of a search. Matching takes time in proportion to the bytes of the text
// times the instructions of the pattern; one step of that takes some 20 ns.
const (
	maxInstructions = 5000    // of a pattern
	maxSteps        = 8 << 20 // that a match may take without a look at the context
	minPiece        = 16 << 10
	maxPiece        = 1 << 20 // of a text, in bytes, between two looks at the context
)

// A matcher finds matches of a pattern, and stops soon after a context ends, however long the
// text and however large the pattern.
type matcher struct {
	re           *regexp.Regexp
	resumed      *regexp.Regexp // re as group 1, after the rune that it begins with; see after
	instructions int
}

// newMatcher compiles tree; resumable also for the method after.
func newMatcher(tree *syntax.Regexp, resumable bool) (*matcher, error) {
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	m := &matcher{instructions: len(program.Inst)}
	if m.instructions > maxInstructions {
		return m, nil // its caller refuses it
	}
	if m.re, err = regexp.Compile(tree.String()); err == nil && resumable {
		m.resumed, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + tree.String() + `)`)
	}
	return m, err
}

// piece returns how much text may be matched between two looks at the context, in bytes.
func (m *matcher) piece() int {
	return min(max(maxSteps/m.instructions, minPiece), maxPiece)
}

// find returns the first match in text: its first byte and the byte after its last; nil if
// there is none, or ctx has ended.
func (m *matcher) find(ctx context.Context, text []byte) []int {
	var at []int
	if m.cheap(text) {
		at = m.re.FindIndex(text)
	} else {
		at = m.re.FindReaderIndex(&runeReader{ctx: ctx, text: text})
	}
	if ctx.Err() != nil {
		return nil
	}
	return at
}

// after returns the first match in text that begins at or after from, as find does. What stands
// before from counts for ^ and \b.
func (m *matcher) after(ctx context.Context, text []byte, from int) []int {
	if from == 0 {
		return m.find(ctx, text)
	}
	var at []int
	if rest := text[from-1:]; m.cheap(rest) {
		at = m.resumed.FindSubmatchIndex(rest)
	} else {
		at = m.resumed.FindReaderSubmatchIndex(&runeReader{ctx: ctx, text: rest})
	}
	if at == nil || ctx.Err() != nil {
		return nil
	}
	return []int{from - 1 + at[2], from - 1 + at[3]}
}

// cheap reports whether text can be matched in one go.
func (m *matcher) cheap(text []byte) bool { return len(text) <= max(maxSteps/m.instructions, minPiece) }

// A runeReader reads text until its context ends. It is the way to stop the regexp package,
// which otherwise reads all that it is given.
type runeReader struct {
	ctx  context.Context
	text []byte
	at   int
	read int // runes
}

// runesAtOnce is how many runes are read between two looks at the context: with a pattern of
// maxInstructions that takes less than 0.1 s.
const runesAtOnce = 512

func (r *runeReader) ReadRune() (rune, int, error) {
	if r.read++; r.read%runesAtOnce == 0 && r.ctx.Err() != nil || r.at == len(r.text) {
		return 0, 0, io.EOF
	}
	if c := r.text[r.at]; c < utf8.RuneSelf {
		r.at++
		return rune(c), 1, nil
	}
	c, size := utf8.DecodeRune(r.text[r.at:])
	r.at += size
	return c, size, nil
}
