package commonmark

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A counter counts the characters that the parsers of links and emphasis get.
type counter struct{ most, current int }

func (*counter) Trigger() []byte { return []byte("[]*_~") }

func (c *counter) Parse(ast.Node, text.Reader, parser.Context) ast.Node {
	c.current++
	c.most = max(c.most, c.current)
	return nil
}

func (c *counter) CloseBlock(ast.Node, text.Reader, parser.Context) { c.current = 0 }

func newParser(c *counter) parser.Parser {
	p := goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Table, Limits)).Parser()
	p.AddOptions(parser.WithInlineParsers(util.Prioritized(c, 0)))
	return p
}

// TestLimits checks how many characters of a paragraph can begin or end something, and that all others are there as text.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name, source string
		most         int
	}{
		{"addresses that do not end", strings.Repeat("[a](", 16_000), 2 * 70},
		{"addresses on lines", strings.Repeat("[a](\n", 13_000), 2 * maxTargets},
		{"in what could be a table", strings.Repeat("|[a](\n", 10_000), 2 * maxTargets},
		{"in what could be a heading", strings.Repeat("#[a](\n", 10_000), 2 * maxTargets},
		{"in what could be code", "``` `\n" + strings.Repeat("[a](\n", 10_000), 2 * maxTargets},
		{"in what could be a list", "a\n" + strings.Repeat("    - [a](\n", 5000), 2 * maxTargets},
		{"brackets", strings.Repeat("[", 60_000), maxBrackets},
		{"brackets on lines", strings.Repeat("[a]\n", 16_000), maxBrackets},
		{"emphasis", strings.Repeat("*a _b ~~c ", 6000), maxMarks},
	} {
		var c counter
		tree, valid := Parse(newParser(&c), test.source, len(test.source))
		if tree == nil {
			t.Errorf("%s: the text was not parsed", test.name)
			continue
		}
		if c.most > test.most+2 {
			t.Errorf("%s: %d characters were not taken literally, want at most %d", test.name, c.most, test.most)
		}
		if got, want := letters(textOf(tree, valid)), letters(test.source); got != want {
			t.Errorf("%s: %d letters and brackets are left of %d", test.name, len(got), len(want))
		}
	}
}

// TestWithinLimits checks that usual texts are parsed as a whole, however long they are.
func TestWithinLimits(t *testing.T) {
	for _, test := range []struct {
		name, source string
		links        int
	}{
		{"a list", strings.Repeat("- [a](b) *c* `d`\n", 5000), 5000},
		{"a table", "| a | b |\n|---|---|\n" + strings.Repeat("| [a](b) | *c* |\n", 5000), 5000},
		{"paragraphs", strings.Repeat("a *b* [c](d)\n\n", 5000), 5000},
		{"one paragraph", strings.Repeat("a *b* [c](d)\n", 300), 300},
		{"code", "```go\n" + strings.Repeat("a_b = *c[0](d)\n", 5000) + "```\n[a](b)", 1},
		{"definitions", strings.Repeat("[a][b] and text\n\n", 300) + strings.Repeat("[b]: c\n", 300), 300},
	} {
		tree, _ := Parse(newParser(&counter{}), test.source, len(test.source))
		if tree == nil {
			t.Errorf("%s: the text was not parsed", test.name)
			continue
		}
		if links := count(tree, ast.KindLink); links != test.links {
			t.Errorf("%s: %d links, want %d", test.name, links, test.links)
		}
	}
}

// TestNotParsed: these texts are to be shown as they are.
func TestNotParsed(t *testing.T) {
	for name, source := range map[string]string{
		"too long":              strings.Repeat("a", 1<<20+1),
		"quotes in a line":      strings.Repeat("> ", maxDepth+1) + "a",
		"lists in a line":       strings.Repeat("- ", 30_000),
		"lists in lists":        stairs(maxDepth),
		"definitions":           strings.Repeat("[a]: b\n", 10_000),
		"a wide table":          "|" + strings.Repeat("a|", 600) + "\n|" + strings.Repeat("-|", 600) + "\n" + strings.Repeat("|a\n", 600),
		"rows that are filled":  "|" + strings.Repeat("a|", 400) + "\n|" + strings.Repeat("-|", 400) + "\n" + strings.Repeat("|a\n", 400),
		"a cell of bars":        "|a|\n|-|\n|" + strings.Repeat("`\\|", 600) + "|\n",
		"definitions and lines": strings.Repeat("[a]: b\n", 400) + strings.Repeat("a\n", 100_000),
	} {
		if tree, _ := Parse(newParser(&counter{}), source, 1<<20); tree != nil {
			t.Errorf("%s: the text was parsed", name)
		}
	}
}

// stairs returns a list within a list, n times, a line each.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

func count(n ast.Node, kind ast.NodeKind) (found int) {
	if n.Kind() == kind {
		found++
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		found += count(c, kind)
	}
	return found
}

func textOf(n ast.Node, source []byte) string {
	if t, ok := n.(*ast.Text); ok {
		return string(t.Value(source))
	}
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(textOf(c, source))
	}
	return b.String()
}

// letters returns a text without blanks and marks of emphasis.
func letters(text string) string {
	return strings.NewReplacer(" ", "", "\n", "", "*", "", "_", "", "~", "").Replace(text)
}
