package draw

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// clusterLimit is how many characters of a grapheme cluster are shown: emoji have up to ten, and marks without an end
// would cover the lines around them.
const clusterLimit = 12

// cluster returns the first grapheme cluster of clean text, its length in bytes, and its width in cells. Terminals do
// not agree on some widths: it is the largest that they use.
func cluster(s string) (text string, length, width int) {
	if c := s[0]; c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1, 1
	}
	graphemes := displaywidth.StringGraphemes(s)
	if !graphemes.Next() {
		return "", len(s), 0
	}
	text = graphemes.Value()
	length = len(text)
	if n := utf8.RuneCountInString(text); n > clusterLimit {
		end := 0
		for range clusterLimit {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		text = text[:end]
	}
	return text, length, max(displaywidth.String(text), ansi.StringWidthWc(text))
}

// widthOf returns the width of clean text without line feeds and tabs, in cells.
func widthOf(s string) int {
	total := 0
	for s != "" {
		_, n, w := cluster(s)
		total += w
		s = s[n:]
	}
	return total
}

// width returns the width of the line in cells.
func (l line) width() int {
	total := 0
	for _, s := range l {
		total += widthOf(s.text)
	}
	return total
}
