package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// A hint is a line for the user below the input, for a while.
type hint struct {
	text string
	n    int // counts the hints
}

// hintOver is a message: the hint of that number ends.
type hintOver int

// say shows a hint for a while.
func (m *Model) say(text string, d time.Duration) tea.Cmd {
	m.hint = hint{text, m.hint.n + 1}
	return m.o.After(d, hintOver(m.hint.n))
}

func (m *Model) hintOver(n hintOver) {
	if int(n) == m.hint.n {
		m.hint.text = ""
	}
}
