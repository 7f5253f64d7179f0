package screen

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"

	"parley.dev/parley/internal/tui/conversation"
)

// guard is how long an approval that appears ignores keys: they were meant for what was there before.
const guard = 300 * time.Millisecond

// An ask is the approval or question that waits for the user: the oldest one.
type ask struct {
	key     string
	since   time.Time // when it appeared
	focused bool
	sent    bool // the answer is on its way
	step    step
	field   textinput.Model // of the steps that have one
	message string          // an error
	answers answers         // of a question

	top  int // rows that are scrolled away, while it is unfolded
	rows int // rows that can be scrolled
}

// A step is what the user answers.
type step uint8

const (
	choosing step = iota
	granting      // the grant is shown, and made by y
	denying       // the reason of a denial is written
	writing       // an answer of the user's own is written
)

// findAsk shows the oldest approval or question that waits, and rings for new ones.
func (m *Model) findAsk() tea.Cmd {
	waiting := m.state().Waiting
	var cmd tea.Cmd
	for _, key := range waiting {
		if !m.rung[key] {
			m.rung[key] = true
			cmd = ring()
		}
	}
	key := ""
	for _, k := range waiting {
		if _, ok := m.talk.Find(k); ok {
			key = k
			break
		}
	}
	switch {
	case key == "":
		m.ask = nil
	case m.ask == nil || m.ask.key != key:
		m.ask = &ask{key: key}
		item, _ := m.talk.Find(key)
		if item.Question != nil {
			m.ask.begin(item.Question)
		}
		if m.input.empty() && m.panel == nil {
			m.ask.focus(m.o.Now())
		}
	}
	return cmd
}

// focus gives the keys to the ask, after the guard.
func (a *ask) focus(now time.Time) { a.focused, a.since = true, now }

// item returns what is asked.
func (m *Model) askItem() (conversation.Item, bool) {
	if m.ask == nil {
		return conversation.Item{}, false
	}
	return m.talk.Find(m.ask.key)
}

// pressAsk handles a key of the ask.
func (m *Model) pressAsk(msg tea.KeyPressMsg) tea.Cmd {
	a := m.ask
	if m.o.Now().Sub(a.since) < guard {
		return nil
	}
	if a.sent {
		return nil
	}
	if m.o.Keys.is(msg, keyFocus) && a.step == choosing {
		a.focused = false
		return nil
	}
	item, ok := m.askItem()
	switch {
	case !ok:
		return nil
	case item.Approval != nil:
		return m.pressApproval(item.Approval, msg)
	case item.Question != nil:
		return m.pressQuestion(item.Question, msg)
	}
	return nil
}

// back goes a step back, and reports whether there was one.
func (a *ask) back() bool {
	if a.step == choosing || a.sent || a.step == writing && a.answers.only {
		return false
	}
	a.step, a.message = choosing, ""
	return true
}

// paste pastes into the field.
func (a *ask) paste(msg tea.PasteMsg) {
	if a.step == denying || a.step == writing {
		a.field, _ = a.field.Update(msg)
	}
}

// hidden reports whether an item is not part of the page: it is the ask, which has a place of its own.
func (m *Model) hidden(item conversation.Item) bool { return m.ask != nil && item.Key == m.ask.key }

// drawAsk returns the ask as at most height lines, and the cursor of its field.
func (m *Model) drawAsk(width, height int) (lines []string, cursor *tea.Cursor) {
	a := m.ask
	item, ok := m.askItem()
	if !ok || height < 1 {
		return nil, nil
	}
	inner := max(1, width-2)
	var body, foot []string
	if item.Question != nil {
		body, foot, cursor = m.questionLines(item.Question, inner)
	} else {
		body, foot, cursor = m.approvalLines(item, inner)
	}
	if a.message != "" {
		var warnings []string
		for _, l := range wrapText(a.message, inner) {
			warnings = append(warnings, m.style.failure(l))
		}
		foot = append(warnings, foot...)
		if cursor != nil {
			cursor.Y += len(warnings)
		}
	}
	if n := len(foot) - max(1, height-1); n > 0 {
		foot = foot[n:]
		if cursor != nil {
			cursor.Y = max(0, cursor.Y-n)
		}
	}
	room := height - len(foot)
	a.rows = 0
	switch {
	case len(body) <= room:
	case m.unfolded:
		a.rows = len(body) - room
		a.top = min(a.top, a.rows)
		body = body[a.top : a.top+room]
	default:
		body = cutMiddle(body, room, m.style.dim, inner)
	}
	if cursor != nil {
		cursor.X += 2
		cursor.Y += len(body)
	}
	bar := m.style.dim("┃ ")
	if a.focused && m.panel == nil {
		bar = m.style.warning("┃ ")
	}
	for _, l := range slices.Concat(body, foot) {
		lines = append(lines, fit(bar+l, width))
	}
	return lines, cursor
}

// cutMiddle returns the first and the last lines, with a line between them that counts the others.
func cutMiddle(lines []string, room int, dim paint, width int) []string {
	if len(lines) <= room {
		return lines
	}
	if room < 1 {
		return nil
	}
	last := (room - 1) / 3
	first := room - 1 - last
	more := dim(fit(plural(len(lines)-first-last, "more line", "more lines")+" (ctrl+x)", width))
	return slices.Concat(lines[:first], []string{more}, lines[len(lines)-last:])
}

// title returns the head of the ask, with the number of those that wait.
func (m *Model) askTitle(what string, width int) string {
	title := m.style.warning(what)
	if n := len(m.state().Waiting); n > 1 {
		title += m.style.dim("  1 of " + count(n))
	}
	if m.ask.focused && m.panel == nil {
		return fit(title, width)
	}
	return spread(title, m.style.strong("Tab")+m.style.dim(" answers"), width)
}
