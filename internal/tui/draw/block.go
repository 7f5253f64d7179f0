package draw

import (
	"strconv"
	"strings"
)

// gutter is the width of the column before the text of items, which has their marks.
const gutter = 2

// text returns the style of a role.
func (d *Drawer) text(role Role, text string) span { return span{text: text, style: d.palette[role]} }

// block returns the lines of an item after a mark of one cell.
func (d *Drawer) block(mark span, lines []line) []line {
	if mark.text == "" {
		mark.text = " "
	}
	return indent(lines, line{{text: mark.text, style: mark.style}, {text: " "}}, line{{text: "  "}})
}

// indent puts first before the first line, and rest before the others. Empty lines stay empty.
func indent(lines []line, first, rest line) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		before := rest
		if i == 0 {
			before = first
		}
		if len(l) == 0 && strings.TrimSpace(before.plain()) == "" {
			continue
		}
		out[i] = append(append(make(line, 0, len(before)+len(l)), before...), l...)
	}
	return out
}

// inner returns the width within a gutter.
func inner(width int) int { return max(1, width-gutter) }

// fold returns lines without those between the first head and the last tail ones, with a line that says how many.
func (d *Drawer) fold(lines []line, head, tail, width int, unfolded bool) []line {
	hidden := len(lines) - head - tail
	if unfolded || hidden < 2 {
		return lines
	}
	out := append(make([]line, 0, head+tail+1), lines[:head]...)
	return append(append(out, d.more(hidden, width)), lines[len(lines)-tail:]...)
}

// more returns the line in place of n lines.
func (d *Drawer) more(n, width int) line {
	l := line{d.text(Faint, "… "+strconv.Itoa(n)+" more lines")}
	if hint := " (" + d.options.UnfoldKey + ")"; d.options.UnfoldKey != "" && l.width()+len(hint) <= width {
		l = append(l, d.text(Faint, hint))
	}
	return l
}

// wrapped returns foreign text in a style, wrapped.
func (d *Drawer) wrapped(text string, look style, width int) []line {
	var lines []line
	for _, l := range clean(text) {
		lines = append(lines, wrap(line{{text: l, style: look}}, width)...)
	}
	return lines
}
