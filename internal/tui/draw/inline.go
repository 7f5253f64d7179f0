package draw

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"parley.dev/parley/internal/terminal"
)

// inlines returns the text within a block: a line for each that is ended by a hard line break.
func (m *markdown) inlines(n ast.Node, look style) []line {
	w := &inlineWriter{markdown: m, lines: []line{nil}}
	w.children(n, look, "")
	return w.lines
}

// An inlineWriter collects the spans of a block.
type inlineWriter struct {
	*markdown
	lines []line
}

// add appends text that is not clean.
func (w *inlineWriter) add(text string, look style, link string) {
	text = terminal.Clean(strings.ReplaceAll(text, "\n", " "))
	if text != "" {
		last := len(w.lines) - 1
		w.lines[last] = append(w.lines[last], span{text, look, link})
	}
}

func (w *inlineWriter) children(n ast.Node, look style, link string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.inline(c, look, link)
	}
}

func (w *inlineWriter) inline(n ast.Node, look style, link string) {
	p := w.drawer.palette
	switch n := n.(type) {
	case *ast.Text:
		w.add(unescaped(n.Segment.Value(w.source)), look, link)
		switch {
		case n.HardLineBreak():
			w.lines = append(w.lines, nil)
		case n.SoftLineBreak():
			w.add(" ", look, link)
		}
	case *ast.String:
		w.add(string(n.Value), look, link)
	case *ast.CodeSpan:
		var code strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				code.Write(t.Segment.Value(w.source))
			}
		}
		text := code.String()
		if w.drawer.theme == NoColour {
			text = "`" + text + "`"
		}
		w.add(text, p[codeRole].over(look), link)
	case *ast.Emphasis:
		if n.Level == 1 {
			look.italic = true
		} else {
			look.bold = true
		}
		w.children(n, look, link)
	case *east.Strikethrough:
		look.strike = true
		w.children(n, look, link)
	case *ast.Link:
		w.link(n, string(n.Destination), look, link)
	case *ast.Image:
		w.add("image: ", p[Faint].over(look), link)
		w.link(n, string(n.Destination), look, link)
	case *ast.AutoLink:
		label, destination := string(n.Label(w.source)), string(n.URL(w.source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(destination), "mailto:") {
			destination = "mailto:" + destination
		}
		if link == "" && safeLink(destination) != "" {
			look, link = p[linkRole].over(look), w.drawer.link(destination)
		}
		w.add(label, look, link)
	case *ast.RawHTML:
		w.add(string(n.Segments.Value(w.source)), look, link)
	case *east.TaskCheckBox: // it is the mark of the item
	default:
		w.children(n, look, link)
	}
}

// link writes a link: its text, and its address if the reader could not know it otherwise.
func (w *inlineWriter) link(n ast.Node, destination string, look style, outer string) {
	p := w.drawer.palette
	safe := safeLink(destination)
	if outer != "" || safe == "" {
		w.children(n, look, outer)
	} else {
		w.children(n, p[linkRole].over(look), w.drawer.link(destination))
	}
	label := textOf(n, w.source)
	named := strings.TrimSuffix(label, "/") == strings.TrimSuffix(destination, "/")
	misleading := strings.Contains(label, "://") || strings.Contains(label, "www.") || strings.Contains(label, "@")
	if destination != "" && !named && (safe == "" || !w.drawer.options.Links || misleading) {
		w.add(" ("+destination+")", p[Faint], "")
	}
}

// textOf returns the text of a node without styles.
func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		} else {
			b.WriteString(textOf(c, source))
		}
	}
	return b.String()
}

// unescaped returns text with its entities and backslashes resolved.
func unescaped(text []byte) string {
	hasEntity, hasEscape := false, false
	for _, c := range text {
		hasEntity = hasEntity || c == '&'
		hasEscape = hasEscape || c == '\\'
	}
	if hasEscape || hasEntity {
		var b strings.Builder
		for i := 0; i < len(text); {
			switch {
			case text[i] == '\\' && i+1 < len(text) && util.IsPunct(text[i+1]):
				b.WriteByte(text[i+1])
				i += 2
			case text[i] == '&':
				end := i + 1
				for end < len(text) && end < i+34 && text[end] != ';' && text[end] != '&' {
					end++
				}
				if end == len(text) || text[end] != ';' {
					b.WriteByte('&')
					i++
					continue
				}
				b.Write(util.ResolveNumericReferences(util.ResolveEntityNames(text[i : end+1])))
				i = end + 1
			default:
				b.WriteByte(text[i])
				i++
			}
		}
		return b.String()
	}
	return string(text)
}
