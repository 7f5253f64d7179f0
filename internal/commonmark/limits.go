package commonmark

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The limits of a paragraph, a heading or a cell, which texts of users do not reach.
const (
	maxBrackets  = 4000
	maxTargets   = 400     // beginnings of addresses of links, which may be incomplete
	maxAddresses = 4 << 20 // bytes of them; that of an incomplete link may be all that follows
	maxMarks     = 4000    // of emphasis, such as **
)

// Limits is an extension of the parser that takes further brackets and marks of emphasis of a paragraph literally when it
// has very many: the time of the library grows with the square of their number.
var Limits goldmark.Extender = limits{}

type limits struct{}

// Extend adds the extension to m.
func (limits) Extend(m goldmark.Markdown) {
	const beforeOthers = -1
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(limiter{}, beforeOthers)))
}

// A limiter is called before the other parsers of inlines. Its result replaces theirs unless it is nil.
type limiter struct{}

// counts are those of the current paragraph.
type counts struct{ brackets, targets, addresses, marks int }

// within reports whether the counts are within the limits.
func (c *counts) within() bool {
	return c.brackets <= maxBrackets && c.targets <= maxTargets && c.addresses <= maxAddresses && c.marks <= maxMarks
}

var countsKey = parser.NewContextKey()

// Trigger returns the characters for which Parse is called.
func (limiter) Trigger() []byte { return []byte("[]*_~") }

// Parse counts a character, and returns it as text if there are too many.
func (limiter) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	c, ok := pc.Get(countsKey).(*counts)
	if !ok {
		c = &counts{}
		pc.Set(countsKey, c)
	}
	line, segment := block.PeekLine()
	switch line[0] {
	case '[':
		c.brackets++
	case ']':
		c.brackets++
		if bytes.HasPrefix(line, []byte("](")) && c.within() {
			c.targets++
			address, _, _ := bytes.Cut(line, []byte(" "))
			c.addresses += len(address)
		}
	default:
		c.marks++
	}
	if c.within() {
		return nil
	}
	block.Advance(1)
	return ast.NewTextSegment(segment.WithStop(segment.Start + 1))
}

// CloseBlock is called at the end of a paragraph.
func (limiter) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) { pc.Set(countsKey, nil) }
