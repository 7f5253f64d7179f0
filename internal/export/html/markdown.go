package html

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"parley.dev/parley/internal/commonmark"
	"parley.dev/parley/internal/highlight"
)

// markdownCap is how many bytes a text has at most; longer ones are shown as they are.
const markdownCap = 64 << 10

// A converter converts Markdown to HTML: paragraphs, lists, tables, code, emphasis and links,
// and headings below those of the page. HTML in it is text, images are links, and links go
// to the web or to a mailbox.
type converter struct {
	colours  *colours
	goldmark goldmark.Markdown // nil until the first text
}

// convert returns the HTML; ok is false for a text that is too long or too deep.
func (c *converter) convert(source string) (html []byte, ok bool) {
	if c.goldmark == nil {
		c.goldmark = newGoldmark(c.colours)
	}
	tree, data := commonmark.Parse(c.goldmark.Parser(), source, markdownCap)
	if tree == nil {
		return nil, false
	}
	var b bytes.Buffer
	if err := c.goldmark.Renderer().Render(&b, data, tree); err != nil {
		return nil, false
	}
	return b.Bytes(), true
}

func newGoldmark(c *colours) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.Linkify, extension.Strikethrough, extension.TaskList,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), commonmark.Limits,
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(safeRenderer{c}, 100))),
	)
}

// A safeRenderer renders the nodes for which the library's output is not safe with untrusted text.
type safeRenderer struct{ colours *colours }

// RegisterFuncs implements renderer.NodeRenderer.
func (m safeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindAutoLink, renderAutoLink)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
	r.Register(ast.KindFencedCodeBlock, m.renderCode)
	r.Register(ast.KindCodeBlock, m.renderCode)
	r.Register(east.KindTable, renderTable)
	r.Register(east.KindTaskCheckBox, renderCheckBox)
}

func renderHeading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	s, tag := &sheet{w: w}, []markup{"h4", "h5", "h6"}[min(n.(*ast.Heading).Level, 3)-1]
	if entering {
		s.open(tag)
	} else {
		s.end(tag)
		s.put("\n")
	}
	return ast.WalkContinue, nil
}

func renderLink(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	s, address := &sheet{w: w}, string(n.(*ast.Link).Destination)
	switch {
	case inLink(n):
	case entering:
		s.openLink(address)
	default:
		s.endLink(address)
	}
	return ast.WalkContinue, nil
}

func renderAutoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	s, link := &sheet{w: w}, n.(*ast.AutoLink)
	label, address := string(link.Label(source)), string(link.URL(source))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		address = "mailto:" + address
	}
	if inLink(n) {
		s.text(label)
	} else {
		s.link(address, label)
	}
	return ast.WalkContinue, nil
}

// renderImage writes the address of an image: loading it would reveal the reader to its server.
func renderImage(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	s, address := &sheet{w: w}, string(n.(*ast.Image).Destination)
	switch {
	case inLink(n):
	case entering:
		s.openLink(address)
		s.put("image: ")
	default:
		s.endLink(address)
	}
	return ast.WalkContinue, nil
}

// inLink reports whether a node is in the text of a link, which cannot contain another.
func inLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink || p.Kind() == ast.KindImage {
			return true
		}
	}
	return false
}

func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		s := &sheet{w: w}
		s.text(string(n.(*ast.RawHTML).Segments.Value(source)))
	}
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		s, block := &sheet{w: w}, n.(*ast.HTMLBlock)
		raw := string(block.Lines().Value(source))
		if block.HasClosure() {
			raw += string(block.ClosureLine.Value(source))
		}
		s.element("p", strings.TrimRight(raw, "\n"), "class", "plain")
	}
	return ast.WalkSkipChildren, nil
}

func (m safeRenderer) renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		s, language := &sheet{w, m.colours}, ""
		if fenced, ok := n.(*ast.FencedCodeBlock); ok {
			language = string(fenced.Language(source))
		}
		s.code(string(n.Lines().Value(source)), highlight.Language(language))
	}
	return ast.WalkSkipChildren, nil
}

func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	s := &sheet{w: w}
	if entering {
		s.put("<div class=\"wide\"><table>\n")
	} else {
		s.put("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func renderCheckBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		s, box := &sheet{w: w}, markup("☐ ")
		if n.(*east.TaskCheckBox).IsChecked {
			box = "☑ "
		}
		s.put(box)
	}
	return ast.WalkContinue, nil
}
