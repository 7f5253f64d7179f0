package screen

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// answers are those to the questions of the model, of which one is asked after the other.
type answers struct {
	given  [][]string
	chosen map[int]bool // options of a question with several answers
	only   bool         // the question has no options
}

// begin asks the next question.
func (a *ask) begin(q *conversation.Inquiry) {
	a.step, a.answers.chosen, a.answers.only = choosing, map[int]bool{}, false
	if n := len(a.answers.given); n < len(q.Questions) && len(q.Questions[n].Options) == 0 {
		a.answers.only = true
		a.write()
	}
}

// write opens the field for an answer of the user's own.
func (a *ask) write() {
	a.step, a.field = writing, newField("Answer: ", "")
}

// pressQuestion handles a key of the question.
func (m *Model) pressQuestion(q *conversation.Inquiry, msg tea.KeyPressMsg) tea.Cmd {
	a := m.ask
	at := len(a.answers.given)
	if at >= len(q.Questions) {
		return nil
	}
	question := q.Questions[at]
	if a.step == writing {
		switch {
		case msg.Keystroke() == "enter":
			if text := strings.TrimSpace(a.field.Value()); text != "" {
				return m.answered(q, []string{text})
			}
		case m.o.Keys.is(msg, keyEmpty):
			a.field.SetValue("")
		default:
			a.field, _ = a.field.Update(msg)
		}
		return nil
	}
	n, err := strconv.Atoi(msg.Text)
	switch {
	case err == nil && n >= 1 && n <= len(question.Options):
		if !question.Multi {
			return m.answered(q, []string{question.Options[n-1].Label})
		}
		a.answers.chosen[n-1] = !a.answers.chosen[n-1]
	case msg.Keystroke() == "enter" && question.Multi:
		return m.answered(q, a.answers.labels(question))
	case msg.Text == "o":
		a.write()
	case msg.Text == "d":
		return m.reply(q.ID, nil)
	}
	return nil
}

// labels returns the labels of the options that are chosen.
func (s *answers) labels(q record.Question) []string {
	labels := []string{}
	for i, o := range q.Options {
		if s.chosen[i] {
			labels = append(labels, o.Label)
		}
	}
	return labels
}

// answered stores the answer to one question, and sends all after the last one.
func (m *Model) answered(q *conversation.Inquiry, answer []string) tea.Cmd {
	a := m.ask
	a.answers.given = append(a.answers.given, answer)
	if len(a.answers.given) < len(q.Questions) {
		a.begin(q)
		return nil
	}
	return m.reply(q.ID, a.answers.given)
}

// reply sends the answers to questions; nil declines.
func (m *Model) reply(id string, given [][]string) tea.Cmd {
	session := m.session
	m.ask.answers.given = nil
	return m.answer(id, func(ctx context.Context, h Host) error { return h.Answer(ctx, session, id, given) })
}

// questionParts returns the question and its options, and the keys.
func (m *Model) questionParts(q *conversation.Inquiry, width int) (p askParts) {
	a := m.ask
	at := min(len(a.answers.given), len(q.Questions)-1)
	if at < 0 {
		return askParts{head: []string{m.askTitle(m.style.warning("? ")+"Question", width)}}
	}
	question := q.Questions[at]
	title := "Question"
	if len(q.Questions) > 1 {
		title = fmt.Sprintf("Question %d of %d", at+1, len(q.Questions))
	}
	if question.Header != "" {
		title += ": " + clean(question.Header, max(1, width-len(title)-16))
	}
	p.head = []string{m.askTitle(m.style.warning("? ")+m.style.strong(title), width)}
	for _, l := range wrapText(question.Text, width-2) {
		p.body = append(p.body, indent(l))
	}
	for i, o := range question.Options {
		p.body = append(p.body, m.optionLines(i, o, question.Multi, width)...)
	}
	switch {
	case a.sent:
		p.foot = []string{indent(m.style.dim("…"))}
	case a.step == writing:
		var line string
		line, p.cursor = drawField(a.field, width-2)
		hints := []string{m.keyHint("Enter", "Answer")}
		if !a.answers.only {
			hints = append(hints, m.keyHint("Esc", "Back"))
		}
		p.foot = append([]string{indent(line)}, m.keyLines(width, hints...)...)
	default:
		hints := []string{m.keyHint("1-"+strconv.Itoa(len(question.Options)), "choose")}
		if question.Multi {
			hints = append(hints, m.keyHint("Enter", "answer"))
		}
		p.foot = m.keyLines(width, append(hints, m.keyHint("o", "Other answer"), m.keyHint("d", "Decline"))...)
	}
	return p
}

// optionLines are an option of a question, after its number.
func (m *Model) optionLines(i int, o record.Option, multi bool, width int) []string {
	mark := strconv.Itoa(i + 1)
	if multi {
		box := "[ ]"
		if m.ask.answers.chosen[i] {
			box = "[x]"
		}
		mark += " " + box
	}
	mark += " "
	room := max(1, width-2-len(mark))
	lines := wrapText(o.Label, room)
	if o.Description != "" {
		for _, l := range wrapText(o.Description, room) {
			lines = append(lines, m.style.dim(l))
		}
	}
	for j := range lines {
		before := strings.Repeat(" ", len(mark))
		if j == 0 {
			before = m.style.accent(mark)
		}
		lines[j] = indent(before + lines[j])
	}
	return lines
}
