package screen

import (
	tea "charm.land/bubbletea/v2"
)

// ring rings the bell, and shows a notification where the terminal has them (OSC 9).
func ring() tea.Cmd {
	return tea.Raw("\a\x1b]9;Parley: " + wordWaiting + "\x1b\\")
}

// windowTitle returns the title of the window.
func (m *Model) windowTitle() string {
	title := "Parley"
	if name := clean(m.title(), 60); name != "" {
		title = name + " - Parley"
	}
	if len(m.state().Waiting) > 0 {
		title = wordWaiting + ": " + title
	}
	return title
}
