package draw

import (
	"slices"
	"strings"

	east "github.com/yuin/goldmark/extension/ast"
)

const (
	columnGap   = 2 // cells between two columns of a table
	leastColumn = 6 // cells that a column has at least; else each row is a list
)

// table returns a table that fits into the width. The texts of narrow columns are wrapped.
func (m *markdown) table(n *east.Table, width int) []line {
	var rows [][]line // the first is the head
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []line
		look := style{}
		if len(rows) == 0 {
			look = m.drawer.palette[Strong]
		}
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, spaced(m.inlines(c, look)))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil
	}
	widths := columnWidths(rows, width-columnGap*(len(rows[0])-1))
	if widths == nil {
		return m.records(rows, width)
	}
	var lines []line
	for i, row := range rows {
		lines = append(lines, tableRow(row, widths, n.Alignments)...)
		if i == 0 {
			var under line
			for c, w := range widths {
				if c > 0 {
					under = append(under, span{text: strings.Repeat(" ", columnGap)})
				}
				under = append(under, m.drawer.text(Faint, strings.Repeat("─", w)))
			}
			lines = append(lines, under)
		}
	}
	return lines
}

// spaced returns the lines of a cell as one.
func spaced(lines []line) line {
	var l line
	for i, part := range lines {
		if i > 0 {
			l = append(l, span{text: " "})
		}
		l = append(l, part...)
	}
	return l
}

// columnWidths divides cells among the columns: each has what it needs if that is no more than a fair share, and the
// others share what is left. It returns nil if there are too few cells.
func columnWidths(rows [][]line, cells int) []int {
	columns := len(rows[0])
	needs := make([]int, columns)
	for _, row := range rows {
		for c := range min(columns, len(row)) {
			needs[c] = max(needs[c], row[c].width(), 1)
		}
	}
	widths := make([]int, columns)
	open := columns
	for open > 0 {
		share, found := max(0, cells)/open, false
		for c := range widths {
			if widths[c] == 0 && needs[c] <= share {
				widths[c] = needs[c]
				cells -= needs[c]
				open--
				found = true
			}
		}
		if found {
			continue
		}
		if share < leastColumn {
			return nil
		}
		for c := range widths {
			if widths[c] == 0 {
				widths[c] = cells / open
				cells -= widths[c]
				open--
			}
		}
	}
	return widths
}

// tableRow returns the lines of a row.
func tableRow(row []line, widths []int, alignments []east.Alignment) []line {
	cells := make([][]line, len(widths))
	height := 1
	for c := range cells {
		if c < len(row) {
			cells[c] = wrap(row[c], widths[c])
		}
		height = max(height, len(cells[c]))
	}
	lines := make([]line, height)
	for i := range lines {
		var l line
		for c, w := range widths {
			var cell line
			if i < len(cells[c]) {
				cell = cells[c][i]
			}
			free := max(0, w-cell.width())
			left := 0
			if c < len(alignments) && alignments[c] == east.AlignRight {
				left = free
			} else if c < len(alignments) && alignments[c] == east.AlignCenter {
				left = free / 2
			}
			l = append(append(append(l, span{text: strings.Repeat(" ", left)}), cell...), span{text: strings.Repeat(" ", free-left+columnGap)})
		}
		lines[i] = trimmed(l)
	}
	return lines
}

// trimmed returns a line without blanks at its end.
func trimmed(l line) line {
	for len(l) > 0 {
		last := &l[len(l)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		l = l[:len(l)-1]
	}
	return l
}

// records returns the rows of a table as lists of their cells.
func (m *markdown) records(rows [][]line, width int) []line {
	var lines []line
	for i, row := range rows[1:] {
		if i > 0 {
			lines = append(lines, nil)
		}
		for c, cell := range row {
			if c < len(rows[0]) {
				cell = slices.Concat(rows[0][c], line{{text: ": "}}, cell)
			}
			lines = append(lines, indent(wrap(cell, max(1, width-2)), nil, line{{text: "  "}})...)
		}
	}
	if len(rows) == 1 {
		for _, cell := range rows[0] {
			lines = append(lines, wrap(cell, width)...)
		}
	}
	return lines
}
