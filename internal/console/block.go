package console

import (
	"strings"
	"unicode/utf8"
)

// A block is text that needs approval, exact and complete, next to a bar. Lines that are too wide
// for the terminal are divided here and marked, so that no untrusted text can be where the
// program's own text is.
type block struct {
	title string // clean
	lines []string
	diff  bool // lines are those of a diff
}

const (
	bar          = "  │ " // before a line
	continuedBar = "  ╎ " // before the rest of one
)

// render appends the block's lines for a terminal of that width.
func (b block) render(s *Screen, lines []string, columns int) []string {
	if b.title != "" {
		lines = append(lines, b.title)
	}
	for _, line := range b.lines {
		look := plain
		if b.diff {
			look = diffStyle(line)
		}
		before := bar
		for _, part := range divide(line, columns-len("  │ ")) {
			lines = append(lines, s.paint(dim, before)+s.paint(look, part))
			before = continuedBar
		}
	}
	return lines
}

func diffStyle(line string) style {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return bold
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return cyan
	}
	return plain
}

const tabWidth = 8

// divide divides a line into parts of at most width columns. Tabs become spaces.
func divide(line string, width int) []string {
	width = max(width, tabWidth)
	var parts []string
	var part strings.Builder
	used := 0
	for _, r := range line {
		text, takes := string(r), columnsOf(r)
		if r == '\t' {
			takes = tabWidth - used%tabWidth
			text = strings.Repeat(" ", takes)
		}
		if used+takes > width {
			parts = append(parts, part.String())
			part.Reset()
			used = 0
		}
		part.WriteString(text)
		used += takes
	}
	return append(parts, part.String())
}

// columnsOf returns the largest width of a character; fonts and terminals differ.
func columnsOf(r rune) int {
	const latinEnd = 0x300
	if r < utf8.RuneSelf || r < latinEnd {
		return 1
	}
	return 2
}
