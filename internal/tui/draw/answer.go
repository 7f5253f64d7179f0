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
}

func (s *answerState) bytes() int { return len(s.settled) + 100*len(s.done) }

// answer returns an answer of the model.
func (d *Drawer) answer(e *entry, item conversation.Item, width int) []string {
	text := strings.ReplaceAll(strings.ToValidUTF8(item.Text, "\uFFFD"), "\r\n", "\n")
	if !item.Open {
		e.state = nil
		return d.finish(d.newMarkdown(inner(width)).render(text), width)
	}
	state, _ := e.state.(*answerState)
	if state == nil || !strings.HasPrefix(text, state.settled) {
		state = &answerState{}
	}
	e.state = state
	m := d.newMarkdown(inner(width))
	m.references = state.references
	tail := completed(text[len(state.settled):])
	last := m.parse(tail)
	if last == nil {
		return append(state.done[:len(state.done):len(state.done)], d.finish(m.plain(tail), width)...)
	}
	if at := m.startOf(last.LastChild()); at > 0 {
		for n := last.FirstChild(); n != last.LastChild(); n = n.NextSibling() {
			state.add(d.finish(m.block(n, m.width), width))
		}
		state.settled = text[:len(state.settled)+at]
		state.references = m.references
	}
	lines := append(make([]string, 0, len(state.done)+16), state.done...)
	if n := last.LastChild(); n != nil {
		rest := d.finish(m.block(n, m.width), width)
		if len(lines) > 0 && len(rest) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, rest...)
	}
	return lines
}

// add appends the lines of a block.
func (s *answerState) add(lines []string) {
	if len(lines) == 0 {
		return
	}
	if len(s.done) > 0 {
		s.done = append(s.done, "")
	}
	s.done = append(s.done, lines...)
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
