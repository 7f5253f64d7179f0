package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"parley.dev/parley/internal/terminal"
)

// A Table is rows of cells that are printed in columns. Cells are cleaned for terminals: they may
// have text of models, tools and other users.
type Table struct {
	out  io.Writer
	rows [][]string
	Fits bool // on a terminal a row ends where a line does
}

// NewTable returns a table with a row of heads; without heads it has none.
func NewTable(out io.Writer, heads ...string) *Table {
	t := &Table{out: out}
	if len(heads) > 0 {
		t.rows = append(t.rows, heads)
	}
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...any) {
	var row []string
	for _, cell := range cells {
		row = append(row, terminal.Line(fmt.Sprint(cell)))
	}
	t.rows = append(t.rows, row)
}

// columnGap is the white space between two columns.
const columnGap = 2

// Print writes the rows.
func (t *Table) Print() error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 { // what ends a row widens no column
				widths[i] = max(widths[i], displaywidth.String(cell))
			}
		}
	}
	limit := 0
	if file, ok := t.out.(terminal.File); ok && t.Fits && terminal.Is(file) {
		limit, _ = terminal.Size(file)
	}
	var out strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]+columnGap-displaywidth.String(cell)))
			}
		}
		out.WriteString(cut(strings.TrimRight(line.String(), " "), limit) + "\n")
	}
	_, err := io.WriteString(t.out, out.String())
	return err
}

// cut returns a line in at most limit cells of a terminal, with an ellipsis at its end where something is missing; 0: all.
func cut(line string, limit int) string {
	if limit < 1 {
		return line
	}
	return displaywidth.TruncateString(line, limit, "…")
}
