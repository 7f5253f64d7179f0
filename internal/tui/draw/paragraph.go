package draw

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"parley.dev/parley/internal/terminal"
)

// settleLeast is how long the text of a growing paragraph is before lines of it are settled, in bytes.
const settleLeast = 1 << 10

// A lead is put before the rest of a paragraph, so that it begins no block of another kind, and no link that it is not the
// beginning of.
const (
	leadOfWords = "x "
	leadInWord  = "x ;" // the rest begins within a word
)

// A paragraphStart is where a paragraph began whose first lines are settled.
type paragraphStart struct {
	text   int  // bytes of answerState.settled
	lines  int  // of answerState.done
	inWord bool // the settled lines end within a word, which is not a link
}

// growParagraph returns the lines of an answer of which the text after the settled one is the rest of a paragraph; ok is
// false if it is not only that, or if the paragraph has become a block of another kind.
func (s *answerState) growParagraph(m *markdown, tail string, width int) (lines []string, ok bool) {
	lead := leadOfWords
	if s.paragraph.inWord {
		lead = leadInWord
	}
	tree := m.parse(completed(lead + tail))
	if tree == nil {
		return nil, false
	}
	p, ok := tree.FirstChild().(*ast.Paragraph)
	if !ok || p.NextSibling() != nil {
		return nil, false
	}
	text := m.inlines(p, style{})
	if text[0], ok = text[0].without(lead); !ok {
		return nil, false
	}
	rest := m.drawer.finish(wrapAll(text, m.width), width)
	return append(append(make([]string, 0, len(s.done)+len(rest)), s.done...), rest...), true
}

// without returns a line without a beginning; ok is false if it begins otherwise.
func (l line) without(beginning string) (rest line, ok bool) {
	for i, s := range l {
		if n := len(beginning); len(s.text) >= n {
			s.text, ok = strings.CutPrefix(s.text, beginning)
			return append(line{s}, l[i+1:]...), ok
		}
		if beginning, ok = strings.CutPrefix(beginning, s.text); !ok {
			return nil, false
		}
	}
	return nil, false
}

// settleLines settles the first lines of the rest of a paragraph that nothing can change any more, whatever follows. rest is
// the text after the settled one.
func (s *answerState) settleLines(m *markdown, text, rest string, width int) {
	if len(rest) < settleLeast {
		return
	}
	words := plainWords{noLink: s.paragraph != nil && s.paragraph.inWord}
	rest = rest[:words.scan(rest)]
	if terminal.Clean(rest) != rest {
		return
	}
	lines := wrap(line{{text: rest}}, m.width)
	at, column, end, whole, inWord := 0, 0, 0, 0, false
	for i := range max(0, len(lines)-2) { // the last two can change with the last word
		line, next := lines[i].plain(), lines[i+1].plain()
		if line == "" || !strings.HasPrefix(rest[at:], line) {
			break // a cluster was too long
		}
		at += len(line)
		column += lines[i].width()
		for !strings.HasPrefix(rest[at:], next) && strings.HasPrefix(rest[at:], " ") {
			at++
			column++
		}
		if !strings.HasPrefix(rest[at:], next) {
			break
		}
		// A line whose first word is longer than it can depend on the line before it, and tabs are measured from the beginning
		// of the paragraph.
		divided := rest[at-1] != ' '
		if (!divided || words.inPlainWord(rest[:at])) && (strings.Contains(next, " ") || !strings.ContainsAny(next, "-/")) && column%tabWidth == 0 {
			end, whole, inWord = at, i+1, divided
		}
	}
	if end == 0 {
		return
	}
	if s.paragraph == nil {
		s.paragraph = &paragraphStart{text: len(s.settled), lines: len(s.done)}
		if len(s.done) > 0 {
			s.done = append(s.done, "")
		}
	}
	s.paragraph.inWord = inWord
	s.done = append(s.done, m.drawer.finish(lines[:whole], width)...)
	s.settled = text[:len(s.settled)+end] // words of a paragraph are the same in rest and in text
}

// unsettleLines makes the paragraph of which lines are settled part of the text after the settled one.
func (s *answerState) unsettleLines() {
	s.settled, s.done = s.settled[:s.paragraph.text], s.done[:s.paragraph.lines:s.paragraph.lines]
	s.paragraph = nil
}

// plainWords finds words that have no meaning in Markdown, and get none by what follows them.
type plainWords struct {
	noLink bool // the text begins within a word that is not a link
}

// scan returns how many bytes of a line of a paragraph are such words. The last one may not be complete.
func (w plainWords) scan(text string) int {
	if strings.HasPrefix(text, " ") {
		return 0
	}
	noLink, start := w.noLink, 0 // of the last part of a word: a link can begin after a blank and after (
	for i, r := range text {
		if i == start && i > 0 || i == 0 && !w.noLink {
			noLink = beginsNoLink(r)
		}
		switch {
		case r == ' ', r == '(':
			start = i + 1
		case r < ' ', r == 0x7f, strings.ContainsRune("\\`*_~[]<>&|", r), r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsPunct(r):
			if noLink {
				return i
			}
			return start
		case noLink:
		case r == '@', r == '/' && strings.HasPrefix(text[i:], "//"), r == 'w' && strings.HasPrefix(text[i:], "www."):
			return start
		}
	}
	return len(text)
}

// beginsNoLink reports whether neither the address of a page nor of mail begins with a character, in the form in which they
// become links.
func beginsNoLink(r rune) bool {
	return r >= utf8.RuneSelf || !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
}

// inPlainWord reports whether a text ends within a word that is not a link, whatever follows.
func (w plainWords) inPlainWord(text string) bool {
	start := strings.LastIndexAny(text, " (") + 1
	if start == 0 && w.noLink {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[start:])
	return start < len(text) && beginsNoLink(r)
}
