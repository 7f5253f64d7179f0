// Package commonmark parses Markdown of models and users, which may have been made to take long. It renders nothing.
package commonmark

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxDepth is how many blocks may be within each other.
const maxDepth = 40

// Parse returns the tree of a text, and the text that its segments refer to, which is valid UTF-8. The tree is nil if source
// has more than limit bytes, if its blocks are nested so deep that reading the tree recursively needs much of the stack, if the
// parser would need time that grows with the square of its length, or if it has a table with more cells than texts have; the text
// should be shown as it is then. p has to have the [Limits].
func Parse(p parser.Parser, source string, limit int, options ...parser.ParseOption) (ast.Node, []byte) {
	if len(source) > limit || deepLine(source) || manyDefinitions(source) || largeTable(source) {
		return nil, nil
	}
	valid := []byte(strings.ToValidUTF8(source, "\uFFFD"))
	tree := p.Parse(text.NewReader(valid), options...)
	if deeper(tree, maxDepth) {
		return nil, nil
	}
	return tree, valid
}

// deepLine reports whether a line opens more quotes and lists than texts do: the time of the parser grows with the square of
// their number.
func deepLine(source string) bool {
	for l := range strings.Lines(source) {
		opened := 0
		for i := 0; i < len(l) && strings.IndexByte(" \t>*+-.)0123456789", l[i]) >= 0; i++ {
			if l[i] == '>' || l[i] == ' ' && i > 0 && l[i-1] != ' ' {
				opened++
			}
		}
		if opened > maxDepth {
			return true
		}
	}
	return false
}

// manyDefinitions reports whether a text has so many definitions of links, and lines, that removing each of them from a
// paragraph takes long: the parser copies the lines after it.
func manyDefinitions(source string) bool {
	const mostCopies = 20e6
	return strings.Count(source, "]:")*strings.Count(source, "\n") > mostCopies
}

const (
	maxColumns = 500
	maxCells   = 50_000
)

// largeTable reports whether a table has very many columns or cells. Each row is filled up to the columns of the head, so that few bytes
// can have cells that grow with the square of their number; and so does the time for one cell with many escaped bars.
func largeTable(source string) bool {
	columns, cells := 0, 0 // of the table that the line is in, and of all
	for l := range strings.Lines(source) {
		l = strings.TrimSpace(l)
		bars := strings.Count(l, "|")
		switch {
		case l == "":
			columns = 0
		case bars > 0 && strings.Contains(l, "-") && strings.Trim(l, "|-: \t>") == "":
			columns = bars + 1
		case columns > 0:
			cells += columns
		}
		if columns > maxColumns || columns > 0 && bars > maxColumns || cells > maxCells {
			return true
		}
	}
	return false
}

// deeper reports whether nodes are nested deeper than a number.
func deeper(n ast.Node, than int) bool {
	if than == 0 {
		return true
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if deeper(c, than-1) {
			return true
		}
	}
	return false
}
