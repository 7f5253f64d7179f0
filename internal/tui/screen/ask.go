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
	if m.o.Keys.is(msg, keyFocus) {
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

// hidden reports whether an item is not part of the page: what waits has a place of its own, one after the other.
func (m *Model) hidden(item conversation.Item) bool {
	return item.Approval != nil && item.Approval.Answer == nil || item.Question != nil && item.Question.Answer == nil
}

// asking reports whether keys answer the ask.
func (m *Model) asking() bool { return m.ask != nil && m.ask.focused && m.panel == nil }

// askParts are the lines of an ask. What does not fit is missing of why first, then of the middle of the body.
type askParts struct {
	head, body, why, foot []string
	cursor                *tea.Cursor // in the foot
}

// drawAsk returns the ask as at most height lines, and the cursor of its field.
func (m *Model) drawAsk(width, height int) (lines []string, cursor *tea.Cursor) {
	a := m.ask
	item, ok := m.askItem()
	if !ok || height < 1 {
		return nil, nil
	}
	var p askParts
	if item.Question != nil {
		p = m.questionParts(item.Question, width)
	} else {
		p = m.approvalParts(item, width)
	}
	if a.message != "" {
		var warnings []string
		for _, l := range wrapText(a.message, width-2) {
			warnings = append(warnings, indent(m.style.failure(l)))
		}
		p.foot = append(warnings, p.foot...)
		if p.cursor != nil {
			p.cursor.Y += len(warnings)
		}
	}
	p.limit(height)
	a.rows = 0
	if room := height - len(p.head) - len(p.why) - len(p.foot); len(p.body) > room {
		if m.unfolded {
			a.rows = len(p.body) - room
			a.top = min(a.top, a.rows)
			p.body = p.body[a.top : a.top+room]
		} else {
			p.body = cutMiddle(p.body, room, m.style.dim, width, m.o.Keys.first(keyUnfold))
		}
	}
	lines = slices.Concat(p.head, p.body, p.why, p.foot)
	if cursor = p.cursor; cursor != nil {
		cursor.X += 2
		cursor.Y += len(lines) - len(p.foot)
	}
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	return lines, cursor
}

// limit removes what there is no space for, so that the first and the last line of the body stay, and what counts those between them.
func (p *askParts) limit(height int) {
	if n := len(p.foot) - max(1, height-1); n > 0 {
		p.foot = p.foot[n:]
		if p.cursor != nil {
			p.cursor.Y = max(0, p.cursor.Y-n)
		}
	}
	room := height - len(p.foot) - min(3, len(p.body))
	if len(p.why) > max(0, room-len(p.head)) {
		p.why = p.why[:max(0, room-len(p.head))]
	}
	p.head = p.head[:max(0, min(len(p.head), height-len(p.foot)-1))]
}

// cutMiddle returns the first and the last lines, with a line between them that counts the others.
func cutMiddle(lines []string, room int, dim paint, width int, key string) []string {
	if len(lines) <= room {
		return lines
	}
	if room < 1 {
		return nil
	}
	last := (room - 1) / 3
	if room >= 3 {
		last = max(last, 1)
	}
	first := room - 1 - last
	more := dim(fit("  … "+plural(len(lines)-first-last, "more line", "more lines")+" ("+key+")", width))
	return slices.Concat(lines[:first], []string{more}, lines[len(lines)-last:])
}

// askTitle is the head of the ask, with the number of those that wait.
func (m *Model) askTitle(title string, width int) string {
	if n := len(m.state().Waiting); n > 1 {
		title += m.style.dim("  1 of " + count(n))
	}
	if m.asking() {
		return fit(title, width)
	}
	key := m.o.Keys.first(keyFocus)
	if m.panel != nil {
		key = m.o.Keys.first(keyInterrupt) // closes what is in front
	}
	return spread(title, m.style.strong(key)+m.style.dim(" answers"), width)
}
