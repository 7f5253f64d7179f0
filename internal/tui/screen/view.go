package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/conversation"
)

// View returns the frame.
func (m *Model) View() tea.View {
	if !m.dirty {
		return m.view
	}
	lines, cursor := m.frame()
	if m.width < leastWidth {
		for i := range lines {
			lines[i] = fit(lines[i], m.width)
		}
	}
	m.selection.mark(lines)
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = m.windowTitle()
	if cursor != nil {
		cursor.X, cursor.Y = min(cursor.X, m.width-1), min(cursor.Y, m.height-1)
	}
	v.Cursor = cursor
	m.view, m.dirty = v, false
	return v
}

// The layout keeps these for the parts above the input.
const (
	inputLimit  = 12 // lines of the input
	queueLimit  = 6
	roomyHeight = 10 // from here on rules divide the screen
	leastWidth  = 20 // narrower screens have cut lines
	talkRows    = 3  // lines that stay for the conversation, if there are as many
)

// frame returns as many lines as the screen has, and the cursor.
func (m *Model) frame() (lines []string, cursor *tea.Cursor) {
	width, height := m.width, m.height
	foot := []string{m.footer(width)}
	free := height - len(foot)
	if m.panel != nil {
		return m.panelFrame(foot, free)
	}
	var below []string // the input and what is around it
	var at *tea.Cursor
	if free > 0 {
		below, at = m.inputLines(width, free)
		free -= len(below)
	}
	// The ask may take what the conversation needs, never what it does not need itself.
	var asked []string
	var askCursor *tea.Cursor
	if m.ask != nil {
		room := free
		if height >= 2*roomyHeight && !m.unfolded {
			room = max(room-talkRows, min(room, 6))
		}
		asked, askCursor = m.drawAsk(width, room)
		free -= len(asked)
		if free > 0 && height >= roomyHeight {
			asked = append([]string{m.style.warning(strings.Repeat("─", width))}, asked...)
			free--
			if askCursor != nil {
				askCursor.Y++
			}
		}
	}
	queue := m.queueLines(width, min(queueLimit, max(0, free/2)))
	free -= len(queue)
	top := m.conversationLines(width, free)
	lines = append(lines, top...)
	askTop := len(lines)
	lines = append(lines, asked...)
	lines = append(lines, queue...)
	inputTop := len(lines)
	lines = append(lines, below...)
	lines = append(lines, foot...)
	switch {
	case askCursor != nil && m.ask.focused:
		cursor = askCursor
		cursor.Y += askTop
	case at != nil && (m.ask == nil || !m.ask.focused):
		cursor = at
		cursor.Y += inputTop
	}
	return lines[max(0, len(lines)-height):], cursor
}

// panelFrame returns the frame with a panel. An approval that waits stays in sight.
func (m *Model) panelFrame(foot []string, free int) (lines []string, cursor *tea.Cursor) {
	var asked []string
	if m.ask != nil {
		asked, _ = m.drawAsk(m.width, min(free/2, 10))
	}
	if m.hint.text != "" && free > 2 {
		foot = append([]string{" " + m.style.warning(fit(m.hint.text, m.width-2))}, foot...)
		free--
	}
	lines, cursor = m.panel.draw(m, m.width, max(1, free-len(asked)))
	lines = append(append(lines, asked...), foot...)
	return lines[max(0, len(lines)-m.height):], cursor
}

// inputLines returns the input with the completions above it and the hint below, and its cursor.
func (m *Model) inputLines(width, free int) (lines []string, cursor *tea.Cursor) {
	if m.ask != nil && m.ask.focused && m.height < roomyHeight {
		return nil, nil // a small screen is for the approval
	}
	roomy := m.height >= roomyHeight
	rows := m.input.rows(max(1, width-3), min(inputLimit, max(1, m.height/3)))
	text, cursor := m.input.draw(max(1, width-3), rows)
	if m.menu != nil {
		lines = append(lines, m.menu.draw(width, min(menuRows, max(0, free-rows-3)), m.style)...)
	}
	rule := m.style.dim(strings.Repeat("─", width))
	if roomy {
		lines = append(lines, m.topRule(width))
	}
	if cursor != nil {
		cursor.X += 2
		cursor.Y += len(lines)
	}
	for i, l := range text {
		mark := "  "
		if i == 0 {
			mark = m.style.accent("›") + " "
		}
		if m.input.empty() {
			l = m.style.dim(fit(m.invitation(), width-3))
		}
		lines = append(lines, mark+l)
	}
	switch {
	case m.hint.text != "":
		lines = append(lines, " "+m.style.warning(fit(m.hint.text, width-2)))
	case roomy:
		lines = append(lines, rule)
	}
	return lines, cursor
}

// invitation is what an empty input shows.
func (m *Model) invitation() string {
	switch {
	case m.ask != nil && m.ask.focused:
		return m.o.Keys.first(keyFocus) + " writes here, " + m.o.Keys.first(keyInterrupt) + " interrupts"
	case m.ask != nil:
		return m.o.Keys.first(keyFocus) + " answers what is above"
	case m.Running():
		return "Enter steers the turn, " + m.o.Keys.first(keyQueue) + " queues, " + m.o.Keys.first(keyInterrupt) + " interrupts"
	}
	return "Write a prompt"
}

// conversationLines returns the part of the conversation that the page shows, as height lines.
func (m *Model) conversationLines(width, height int) []string {
	if height < 1 {
		return nil
	}
	items := m.talk.Items()
	var lines []string
	if len(items) == 0 && m.session == "" {
		lines = m.startLines(width, height)
		return append(lines, make([]string, max(0, height-len(lines)))...)
	}
	inner := max(1, width-2)
	m.beginning = false
	lines = m.page.Lines(items, height, func(item conversation.Item) []string {
		m.beginning = m.beginning || item.Key == items[0].Key
		if m.hidden(item) {
			return nil
		}
		return m.drawer.Lines(item, inner, m.unfolded)
	})
	out := make([]string, 0, height)
	for _, l := range lines {
		if l != "" {
			l = " " + l
		}
		out = append(out, l)
	}
	if len(out) < height {
		out = append(out, make([]string, height-len(out))...)
	}
	return out
}
