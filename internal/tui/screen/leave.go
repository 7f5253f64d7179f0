package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// patience is how long a second ctrl+c leaves.
const patience = 2 * time.Second

// leave is the state of leaving.
type leave struct {
	until time.Time // until then the key leaves
	begun bool
}

// pressLeave handles the key that clears the input and, pressed again, leaves.
func (m *Model) pressLeave() tea.Cmd {
	now := m.o.Now()
	if now.Before(m.leave.until) {
		return m.quit()
	}
	m.leave.until = now.Add(patience)
	m.input.clear()
	m.menu = nil
	text := "Press " + m.o.Keys.first(keyLeave) + " again to leave"
	if m.Running() && m.o.Embedded {
		text += "; a turn runs, and would be interrupted"
	}
	return m.say(text, patience)
}

// quit ends the program, after what must not be lost.
func (m *Model) quit() tea.Cmd {
	if m.leave.begun || m.lost { // without a connection a request would wait for it
		return tea.Quit
	}
	m.leave.begun = true
	var cmds []tea.Cmd
	for session := range m.removals.due {
		cmds = append(cmds, m.removeNow(session))
	}
	if m.Running() && m.o.Embedded {
		cmds = append(cmds, m.interrupt())
	}
	return tea.Sequence(append(cmds, m.closeImages(), tea.Quit)...)
}
