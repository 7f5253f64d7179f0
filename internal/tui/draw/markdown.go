package draw

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"

	"parley.dev/parley/internal/commonmark"
)

const (
	markdownLimit = 1 << 20 // bytes; longer texts are shown as they are
	narrowest     = 10      // cells that the text within others has at least
)

// A markdown draws a Markdown text. HTML in it is text, and images are links.
type markdown struct {
	drawer     *Drawer
	source     []byte
	width      int
	references []parser.Reference // of links, from the text before
}

func (d *Drawer) newMarkdown(width int) *markdown { return &markdown{drawer: d, width: width} }

// parse returns the blocks of a text; nil if it must be shown as it is.
func (m *markdown) parse(source string) ast.Node {
	d := m.drawer
	if d.markdown == nil {
		d.markdown = goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList, extension.Table, commonmark.Limits)).Parser()
	}
	context := parser.NewContext()
	for _, r := range m.references {
		context.AddReference(r)
	}
	tree, valid := commonmark.Parse(d.markdown, source, markdownLimit, parser.WithContext(context))
	if tree == nil {
		return nil
	}
	m.source, m.references = valid, context.References()
	return tree
}

// render returns the lines of a text.
func (m *markdown) render(source string) []line {
	tree := m.parse(source)
	if tree == nil {
		return m.plain(source)
	}
	return m.blocks(tree, m.width, false)
}

// plain returns a text as it is.
func (m *markdown) plain(source string) []line { return m.drawer.wrapped(source, style{}, m.width) }

// blocks returns the blocks within a node, with an empty line between them unless they are tight.
func (m *markdown) blocks(parent ast.Node, width int, tight bool) []line {
	var lines []line
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b := m.block(n, width)
		if len(b) == 0 {
			continue
		}
		if len(lines) > 0 && !tight {
			lines = append(lines, nil)
		}
		lines = append(lines, b...)
	}
	return lines
}

// block returns the lines of a block.
func (m *markdown) block(n ast.Node, width int) []line {
	d := m.drawer
	width = max(width, min(m.width, narrowest))
	switch n := n.(type) {
	case *ast.Heading:
		look := d.palette[headingRole]
		if n.Level > 2 {
			look = d.palette[Strong]
		}
		return wrapAll(m.inlines(n, look), width)
	case *ast.Paragraph, *ast.TextBlock:
		return wrapAll(m.inlines(n, style{}), width)
	case *ast.Blockquote:
		bar := line{d.text(Faint, "│ ")}
		lines := m.blocks(n, width-2, false)
		for i := range lines {
			lines[i] = append(append(line{}, bar...), restyle(lines[i], style{italic: true})...)
		}
		return lines
	case *ast.List:
		return m.list(n, width)
	case *ast.FencedCodeBlock:
		return m.code(string(n.Lines().Value(m.source)), string(n.Language(m.source)), width)
	case *ast.CodeBlock:
		return m.code(string(n.Lines().Value(m.source)), "", width)
	case *ast.ThematicBreak:
		return []line{{d.text(Faint, strings.Repeat("─", min(width, 40)))}}
	case *ast.HTMLBlock:
		raw := string(n.Lines().Value(m.source))
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(m.source))
		}
		return d.wrapped(raw, style{}, width)
	case *east.Table:
		return m.table(n, width)
	case *ast.LinkReferenceDefinition:
		return nil
	}
	return m.blocks(n, width, false)
}

func wrapAll(lines []line, width int) []line {
	var out []line
	for _, l := range lines {
		out = append(out, wrap(l, width)...)
	}
	return out
}

// list returns the items of a list after their marks.
func (m *markdown) list(n *ast.List, width int) []line {
	d := m.drawer
	number, last := n.Start, n.Start+n.ChildCount()-1
	digits := len(fmt.Sprint(last))
	var lines []line
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := line{d.text(Accent, "• ")}
		if n.IsOrdered() {
			mark = line{d.text(Accent, fmt.Sprintf("%*d. ", digits, number))}
			number++
		}
		if box, ok := taskBox(item); ok {
			mark = line{d.text(Faint, "☐ ")}
			if box.IsChecked {
				mark = line{d.text(Good, "☑ ")}
			}
		}
		w := mark.width()
		body := m.blocks(item, width-w, n.IsTight)
		if len(body) == 0 {
			body = []line{nil}
		}
		body[0] = append(append(line{}, mark...), body[0]...)
		for i := 1; i < len(body); i++ {
			if len(body[i]) > 0 {
				body[i] = append(line{{text: strings.Repeat(" ", w)}}, body[i]...)
			}
		}
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, nil)
		}
		lines = append(lines, body...)
	}
	return lines
}

// taskBox returns the box of an item of a list of tasks.
func taskBox(item ast.Node) (*east.TaskCheckBox, bool) {
	if item.FirstChild() == nil || item.FirstChild().FirstChild() == nil {
		return nil, false
	}
	box, ok := item.FirstChild().FirstChild().(*east.TaskCheckBox)
	return box, ok
}
