package draw

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"parley.dev/parley/internal/tui/conversation"
)

// An answerState is the beginning of an answer that grows, so that only its last block has to be drawn for each delta.
type answerState struct {
	settled    string   // the blocks that cannot change any more
	done       []string // they, drawn
	references []parser.Reference
	code       *codeState      // of the last block, if that is code; else nil
	paragraph  *paragraphStart // of the last block, if lines of it are settled; else nil
}

func (s *answerState) bytes() int { return len(s.settled) + 100*len(s.done) }

// answer returns an answer of the model.
func (d *Drawer) answer(e *entry, item conversation.Item, width int) []string {
	if !item.Open {
		e.state = nil
		return d.finish(d.newMarkdown(inner(width)).render(normalized(item.Text)), width)
	}
	state, _ := e.state.(*answerState)
	if state == nil || !strings.HasPrefix(item.Text, state.settled) {
		state = &answerState{}
	}
	e.state = state
	m := d.newMarkdown(inner(width))
	m.references = state.references
	if state.paragraph != nil {
		tail := normalized(item.Text[len(state.settled):])
		if lines, ok := state.growParagraph(m, tail, width); ok {
			state.settleLines(m, item.Text, tail, width)
			return lines
		}
		state.unsettleLines()
		m.references = state.references
	}
	source := item.Text[len(state.settled):]
	tail := normalized(source)
	if lines, ok := state.code.grow(d, tail, width); ok {
		return joinBlocks(state.done, lines)
	}
	text := completed(tail)
	last := m.parse(text)
	if last == nil {
		return joinBlocks(state.done, d.finish(m.plain(text), width))
	}
	if at := m.startOf(last.LastChild()); at > 0 {
		for n := last.FirstChild(); n != last.LastChild(); n = n.NextSibling() {
			state.add(d.finish(m.block(n, m.width), width))
		}
		state.settled = item.Text[:len(state.settled)+sourceLength(source, tail[:at])]
		state.references = m.references
		tail = tail[at:]
	}
	n := last.LastChild()
	if n == nil {
		return joinBlocks(state.done, nil)
	}
	if state.code = nil; n.Kind() == ast.KindFencedCodeBlock {
		state.code = &codeState{}
		if lines, ok := state.code.grow(d, tail, width); ok {
			return joinBlocks(state.done, lines)
		}
	}
	lines := joinBlocks(state.done, d.finish(m.block(n, m.width), width))
	if n.Kind() == ast.KindParagraph {
		state.settleLines(m, item.Text, tail, width)
	}
	return lines
}

// normalized returns a text as valid UTF-8 with LF at the ends of its lines.
func normalized(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
}

// sourceLength returns how many bytes of a text became the first lines of its normalized form.
func sourceLength(source, lines string) int {
	if strings.HasPrefix(source, lines) {
		return len(lines)
	}
	n := 0
	for range strings.Count(lines, "\n") {
		n += strings.IndexByte(source[n:], '\n') + 1
	}
	return n
}

// joinBlocks returns two groups of blocks with an empty line between them.
func joinBlocks(first, second []string) []string {
	lines := append(make([]string, 0, len(first)+len(second)+1), first...)
	if len(first) > 0 && len(second) > 0 {
		lines = append(lines, "")
	}
	return append(lines, second...)
}

// add appends the lines of a block.
func (s *answerState) add(lines []string) {
	if len(lines) == 0 {
		return
	}
	if len(s.done) > 0 {
		s.done = append(s.done, "")
	}
	s.done = append(s.done, lines...) // an earlier result has its own slice
}

// finish returns lines of Markdown as those of an item.
func (d *Drawer) finish(lines []line, width int) []string {
	return encode(d.block(span{}, lines), width)
}

// startOf returns where the line begins in which a block does; 0 if that is not known, or if it is the first block.
func (m *markdown) startOf(n ast.Node) int {
	if n == nil || n.PreviousSibling() == nil {
		return 0
	}
	at := n.Pos()
	if at <= 0 || at > len(m.source) {
		return 0
	}
	return bytes.LastIndexByte(m.source[:at], '\n') + 1
}
