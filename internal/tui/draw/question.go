package draw

import (
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// question returns questions of the model with their numbered options, or with their answers.
func (d *Drawer) question(item conversation.Item, width int) []line {
	q := item.Question
	if q == nil {
		return nil
	}
	var lines []line
	for i, one := range q.Questions {
		mark := d.warning("?")
		if q.Answer != nil {
			mark = d.text(Faint, "?")
		}
		var text []line
		if header := oneLine(one.Header); header != "" {
			text = append(text, wrap(line{d.text(Faint, header)}, inner(width))...)
		}
		text = append(text, d.wrapped(one.Text, d.palette[Strong], inner(width))...)
		if q.Answer == nil {
			text = append(text, d.optionLines(one, inner(width))...)
		} else {
			text = append(text, d.reply(q, i, inner(width))...)
		}
		lines = append(lines, d.block(mark, text)...)
	}
	return lines
}

func (d *Drawer) optionLines(q record.Question, width int) []line {
	var lines []line
	digits := len(strconv.Itoa(len(q.Options)))
	for i, o := range q.Options {
		number := strconv.Itoa(i + 1)
		first := line{d.text(Accent, strings.Repeat(" ", digits-len(number))+number+" ")}
		l := line{{text: oneLine(o.Label)}}
		if description := oneLine(o.Description); description != "" {
			l = append(l, d.text(Faint, "  "+description))
		}
		lines = append(lines, indent(wrap(l, max(1, width-digits-1)), first, line{{text: strings.Repeat(" ", digits+1)}})...)
	}
	if q.Multi {
		lines = append(lines, wrap(line{d.text(Faint, "several may be chosen")}, width)...)
	}
	return lines
}

// reply returns the answer to a question.
func (d *Drawer) reply(q *conversation.Inquiry, i, width int) []line {
	name := d.by(q.Answer.ID, q.Answer.By, q.Answer.Client)
	if q.Answer.Answers == nil || i >= len(q.Answer.Answers) {
		return wrap(line{d.text(Bad, "Declined"+name)}, width)
	}
	answers := slices.Clone(q.Answer.Answers[i])
	for n := range answers {
		answers[n] = oneLine(answers[n])
	}
	l := line{{text: strings.Join(answers, ", ")}}
	if name != "" {
		l = append(l, d.text(Faint, name))
	}
	return indent(wrap(l, max(1, width-2)), line{d.text(Good, "→ ")}, line{{text: "  "}})
}
