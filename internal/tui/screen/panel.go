package screen

import (
	tea "charm.land/bubbletea/v2"
)

// A panel is what covers the conversation: a list, or the help.
type panel interface {
	press(m *Model, msg tea.KeyPressMsg) tea.Cmd
	paste(m *Model, msg tea.PasteMsg) tea.Cmd
	// back closes what is open on top in the panel; false: that is the panel itself.
	back(m *Model) bool
	draw(m *Model, width, height int) (lines []string, cursor *tea.Cursor)
}

// panelFailed shows an error where the user looks: in the list that is open, or in the conversation.
func (m *Model) panelFailed(err error) tea.Cmd {
	if p, ok := m.panel.(interface{ warn(text string) }); ok {
		p.warn(err.Error())
		return nil
	}
	m.note(levelError, err.Error())
	return nil
}

// keyHint returns a key and what it does, for the line below a list.
func (m *Model) keyHint(key, does string) string {
	return m.style.accent(key) + " " + m.style.dim(does)
}
