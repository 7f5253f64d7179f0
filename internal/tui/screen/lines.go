package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley.dev/parley/internal/terminal"
)

// fit returns a styled line of at most width cells.
func fit(line string, width int) string {
	if ansi.StringWidth(line) <= width {
		return line
	}
	return ansi.Truncate(line, max(width, 0), "…")
}

// clean returns foreign text as one line of at most width cells.
func clean(s string, width int) string { return fit(terminal.Line(s), width) }

// wrapText returns foreign text as lines of at most width cells, which cannot control the terminal.
func wrapText(s string, width int) []string { return wrapClean(terminal.Clean(s), width) }

// wrapExact is wrapText for what is about to be approved: invisible characters have names.
func wrapExact(s string, width int) []string { return wrapClean(terminal.Exact(s), width) }

// wrapClean breaks clean text into lines of at most width cells.
func wrapClean(s string, width int) []string {
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.Split(ansi.Wrap(s, max(width, 1), ""), "\n")
}

// flow puts parts side by side with a separator, in as many lines of at most width cells as needed.
func flow(parts []string, separator string, width int) []string {
	var lines []string
	line := ""
	for _, p := range parts {
		switch joined := line + separator + p; {
		case line == "":
			line = p
		case ansi.StringWidth(joined) <= width:
			line = joined
		default:
			lines, line = append(lines, line), p
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	return lines
}

// spread returns left and right at the ends of a line of width cells; right is left out if both do not fit.
func spread(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 1 || right == "" {
		return fit(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// pad returns a line with spaces up to width cells.
func pad(line string, width int) string {
	line = fit(line, width)
	return line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
}
