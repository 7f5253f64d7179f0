package html

import "parley.dev/parley/internal/highlight"

// coloursCap bounds the time for a page. It counts bytes, not time, so that the same session gives
// the same page.
const coloursCap = 4 << 20 // of a page; text after that has one colour

// colours is how many bytes of a page may still be highlighted.
type colours struct{ left int }

func (c *colours) take(n int) bool {
	if c == nil || n > c.left {
		return false
	}
	c.left -= n
	return true
}

// code writes a block of code in a language; "" is none.
func (s *sheet) code(text, language string) {
	s.put(`<pre><code>`)
	s.highlight(text, language)
	s.put("</code></pre>\n")
}

func (s *sheet) highlight(text, language string) {
	if language == highlight.Diff {
		s.diffLines(text)
		return
	}
	var pieces []highlight.Piece
	ok := false
	if language != "" && highlight.Fits(text) && s.colours.take(len(text)) {
		pieces, ok = highlight.Split(text, language)
	}
	if !ok {
		s.text(text)
	}
	for _, p := range pieces {
		if p.Class == highlight.Plain {
			s.text(p.Text)
		} else {
			s.element("span", p.Text, "class", classes[p.Class])
		}
	}
}

// classes are the names of the classes in the style sheet.
var classes = map[highlight.Class]string{
	highlight.Comment: "hc",
	highlight.Keyword: "hk",
	highlight.String:  "hs",
	highlight.Number:  "hn",
	highlight.Called:  "hf",
	highlight.Named:   "ha",
}
