package draw

import (
	"parley.dev/parley/internal/tui/conversation"
)

// draw returns the lines of an item.
func (d *Drawer) draw(_ *entry, item conversation.Item, width int, _ bool) []line {
	return d.wrapped(item.Text, style{}, width)
}

// wrapped returns foreign text in a style, wrapped.
func (d *Drawer) wrapped(text string, look style, width int) []line {
	var lines []line
	for _, l := range clean(text) {
		lines = append(lines, wrap(line{{text: l, style: look}}, width)...)
	}
	return lines
}
