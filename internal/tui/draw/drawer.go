package draw

import (
	"parley.dev/parley/internal/tui/conversation"
)

// Options are what a terminal can do.
type Options struct {
	Links bool // OSC 8
}

// A Drawer draws the items of a conversation. It remembers the last ones, and is not safe for concurrent use.
type Drawer struct {
	palette *palette
	options Options
	cache   cache
}

// New returns a Drawer.
func New(theme Theme, options Options) *Drawer {
	return &Drawer{palette: theme.palette(), options: options}
}

// Lines returns an item as lines of at most width cells, without an empty one before or after it. Each line begins and
// ends in the style of the terminal. What is long is cut or folded unless it is unfolded. The slice must not be changed.
func (d *Drawer) Lines(item conversation.Item, width int, unfolded bool) []string {
	width = max(width, 1)
	e := d.cache.find(item.Key)
	if e.drawn && e.version == item.Version && e.width == width && e.unfolded == unfolded {
		return e.lines
	}
	if e.width != width || e.unfolded != unfolded {
		e.state = nil
	}
	lines := encode(d.draw(e, item, width, unfolded), width)
	d.cache.put(e, item.Version, width, unfolded, lines)
	return lines
}

// Paint returns text in the style of a role, cleaned and in one line.
func (d *Drawer) Paint(role Role, text string) string {
	return line{{text: oneLine(text), style: d.palette[role]}}.encode()
}

// encode returns lines for a terminal of that width.
func encode(lines []line, width int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = clip(l, width).encode()
	}
	return out
}
