package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/record"
)

// press handles a key: of what is on top first.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	if k.is(msg, keyLeave) {
		return m.pressLeave()
	}
	m.leave.until = time.Time{}
	switch {
	case k.is(msg, keyUnfold):
		m.unfolded = !m.unfolded
		return nil
	case k.is(msg, keyInterrupt):
		return m.escape()
	case m.panel != nil:
		if cmd, ok := m.openList(msg); ok {
			return cmd
		}
		return m.panel.press(m, msg)
	}
	if cmd, ok := m.openList(msg); ok {
		return cmd
	}
	switch {
	case k.is(msg, keyPageUp):
		return m.scroll(-max(1, m.height/2))
	case k.is(msg, keyPageDown):
		return m.scroll(max(1, m.height/2))
	case k.is(msg, keyToEnd):
		m.page.End()
		return nil
	case m.ask != nil && m.ask.focused:
		return m.pressAsk(msg)
	case k.is(msg, keyEditor):
		return m.openEditor()
	}
	return m.pressInput(msg)
}

// openList opens one of the lists, if that is what the key does.
func (m *Model) openList(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k := m.o.Keys; {
	case k.is(msg, keySessions):
		return m.openSessions(), true
	case k.is(msg, keyHistory):
		return m.openHistory(), true
	case k.is(msg, keySettings):
		return m.openSettings(), true
	}
	return nil, false
}

// escape closes what is open on top, else interrupts the turn.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.panel != nil:
		if !m.panel.back(m) {
			m.closePanel()
		}
		return nil
	case m.menu != nil:
		m.menu = nil
		return nil
	case m.ask != nil && m.ask.focused && m.ask.back():
		return nil
	case m.input.vi.escape(&m.input):
		return nil
	case m.Running() || m.state().Status == record.StatusCompacting:
		return m.interrupt()
	case m.busy():
		m.stopping = true
		return nil
	}
	return nil
}

// closePanel closes the list that is open. An approval that has come meanwhile gets the focus.
func (m *Model) closePanel() {
	m.panel = nil
	if m.ask != nil && m.input.empty() {
		m.ask.focus(m.o.Now())
	}
}

// paste handles pasted text.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case m.panel != nil:
		return m.panel.paste(m, tea.PasteMsg{Content: withoutBidi(msg.Content)})
	case m.ask != nil && m.ask.focused:
		m.ask.paste(tea.PasteMsg{Content: withoutBidi(msg.Content)})
	default:
		m.input.paste(msg.Content)
		return m.complete()
	}
	return nil
}

// wheel scrolls by the wheel of the mouse.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.scroll(-3)
	case tea.MouseWheelDown:
		return m.scroll(3)
	}
	return nil
}

// scroll scrolls what is too long for the screen: an approval that is unfolded, else the conversation.
func (m *Model) scroll(rows int) tea.Cmd {
	if m.ask != nil && m.ask.rows > 0 {
		m.ask.top = min(max(0, m.ask.top+rows), m.ask.rows)
		return nil
	}
	m.page.Scroll(rows)
	if m.View(); m.beginning {
		return m.loadEarlier()
	}
	return nil
}
