package pisces

import (
	"context"
	"slices"

	"parley.dev/parley/internal/event"
)

// This file puts the questions of tools to the user, as dialogs.

// questioner answers the questions of a session by dialogs. Only its pump uses the map.
type questioner struct {
	c    *conn
	s    *session
	open map[event.QuestionID]context.CancelFunc // withdraws the dialogs
}

// take opens and withdraws dialogs as a record says.
func (q *questioner) take(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.QuestionAsked:
		if q.s.others {
			return // the process that runs the turn asks
		}
		ctx, withdraw := context.WithCancel(q.c.life)
		q.open[e.ID] = withdraw
		q.c.beside.Go(func() {
			answers := q.ask(ctx, e.Questions)
			if ctx.Err() == nil {
				_ = q.s.client.AnswerQuestion(e.ID, answers) // settled meanwhile: nothing to do
			}
		})
	case event.QuestionAnswered:
		if withdraw := q.open[e.ID]; withdraw != nil {
			withdraw()
			delete(q.open, e.ID)
		}
	}
}

// withdraw withdraws all dialogs.
func (q *questioner) withdraw() {
	for _, withdraw := range q.open {
		withdraw()
	}
}

// ask shows one dialog after the other; nil: the user cancelled one.
func (q *questioner) ask(ctx context.Context, questions []event.Question) [][]string {
	answers := make([][]string, 0, len(questions))
	for _, question := range questions {
		answer, ok := q.askOne(ctx, question)
		if !ok {
			return nil
		}
		answers = append(answers, answer)
	}
	return answers
}

func (q *questioner) askOne(ctx context.Context, question event.Question) (answer []string, ok bool) {
	var labels []string
	for _, option := range question.Options {
		labels = append(labels, option.Label)
	}
	switch {
	case len(labels) == 0:
		text, ok := q.c.ext.question(ctx, dialogInput, question.Text, nil)
		return []string{text}, ok
	case question.Multi:
		return q.askSeveral(ctx, question.Text, labels)
	}
	text, ok := q.c.ext.question(ctx, dialogSelect, question.Text, labels)
	return []string{text}, ok
}

// What a choice of several looks like: there is no dialog for it.
const (
	chosenMark   = "[x] "
	unchosenMark = "[ ] "
	doneChoosing = "Done"
)

// askSeveral shows the options again after each choice, until the user has chosen all.
func (q *questioner) askSeveral(ctx context.Context, title string, labels []string) (chosen []string, ok bool) {
	is := make([]bool, len(labels))
	for {
		shown := make([]string, 0, len(labels)+1)
		for i, label := range labels {
			mark := unchosenMark
			if is[i] {
				mark = chosenMark
			}
			shown = append(shown, mark+label)
		}
		text, ok := q.c.ext.question(ctx, dialogSelect, title, append(shown, doneChoosing))
		if !ok {
			return nil, false
		}
		i := slices.Index(shown, text)
		if i < 0 {
			break
		}
		is[i] = !is[i]
	}
	for i, label := range labels {
		if is[i] {
			chosen = append(chosen, label)
		}
	}
	return chosen, true
}
