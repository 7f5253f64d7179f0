package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"
)

// A selection is the text that the mouse has gone over with its button down, in cells of the screen.
type selection struct {
	on            bool
	x, y          int // where the button was pressed
	toX, toY      int
	width, height int
}

// copied is how long the screen says that text was copied.
const copied = 2 * time.Second

// pressMouse begins a selection.
func (m *Model) pressMouse(msg tea.MouseClickMsg) {
	m.selection = selection{on: msg.Button == tea.MouseLeft, x: msg.X, y: msg.Y, toX: msg.X, toY: msg.Y, width: m.width, height: m.height}
}

// dragMouse extends the selection.
func (m *Model) dragMouse(msg tea.MouseMotionMsg) { m.selection.toX, m.selection.toY = msg.X, msg.Y }

// releaseMouse copies the selection to the clipboard of the terminal.
func (m *Model) releaseMouse() tea.Cmd {
	s := m.selection
	m.selection = selection{}
	if !s.on || s.x == s.toX && s.y == s.toY || s.width != m.width || s.height != m.height {
		return nil
	}
	lines, _ := m.frame()
	text := s.text(lines)
	if text == "" {
		return nil
	}
	return tea.Batch(tea.SetClipboard(text), m.say("Copied", copied))
}

// spans calls do with each line of the selection and its first and last cell in it, without the last one.
func (s selection) spans(lines []string, do func(i, from, to int)) {
	x, y, toX, toY := s.x, s.y, s.toX, s.toY
	if toY < y || toY == y && toX < x {
		x, y, toX, toY = toX, toY, x, y
	}
	for i := max(0, y); i <= toY && i < len(lines); i++ {
		from, to := 0, s.width
		if i == y {
			from = max(0, x)
		}
		if i == toY {
			to = min(to, toX+1)
		}
		if from < to {
			do(i, from, to)
		}
	}
}

// text returns what is selected, without styles, blanks at the ends of lines, and the margin that all lines have.
func (s selection) text(lines []string) string {
	var parts []string
	margin := s.width
	s.spans(lines, func(i, from, to int) {
		part := strings.TrimRight(ansi.Strip(ansi.Cut(lines[i], from, to)), " ")
		parts = append(parts, part)
		if part != "" {
			margin = min(margin, len(part)-len(strings.TrimLeft(part, " ")))
		}
	})
	for i := range parts {
		parts[i] = parts[i][min(margin, len(parts[i])):]
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n")
}

// mark shows the selection in the lines of a frame.
func (s selection) mark(lines []string) {
	if !s.on || s.x == s.toX && s.y == s.toY {
		return
	}
	s.spans(lines, func(i, from, to int) {
		line := pad(lines[i], s.width)
		lines[i] = ansi.Cut(line, 0, from) + "\x1b[7m" + ansi.Strip(ansi.Cut(line, from, to)) + "\x1b[m" + ansi.Cut(line, to, s.width)
	})
}
