package plain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// A question is the answers to the questions of an item so far.
type question struct {
	key     string
	printed int // questions that were printed
	answers [][]string
}

// input does what a line says.
func (c *console) input(l line) {
	if !l.ok {
		c.inputEnd = true
		return
	}
	text := strings.TrimRight(l.text, "\r\n")
	item, waiting := c.waiting()
	switch {
	case c.forItem != "" && item.Key != c.forItem:
		// It must not answer something else.
		c.out.fact("notice", "Not used, as what it answers waits no longer: "+text)
		return
	case waiting && (c.forItem != "" || answers(item, text)):
		if item.Approval != nil {
			c.answerApproval(item, strings.TrimSpace(text))
		} else {
			c.answerQuestion(item, strings.TrimSpace(text))
		}
		return
	}
	c.submit(text)
}

// submit sends a prompt, or does what a command says.
func (c *console) submit(text string) {
	switch {
	case strings.TrimSpace(text) == "":
	case isCommand(text):
		c.command(text)
	default:
		c.prompt(text)
	}
}

// waiting returns what waits longest.
func (c *console) waiting() (conversation.Item, bool) {
	for _, key := range c.items.State().Waiting {
		if item, ok := c.items.Find(key); ok && (item.Approval != nil || item.Question != nil) {
			return item, true
		}
	}
	return conversation.Item{}, false
}

// answers reports whether a line that was read for a prompt can only be an answer to what waits by now.
func answers(item conversation.Item, text string) bool {
	text = strings.TrimSpace(text)
	if item.Approval != nil {
		return len(text) == 1 && strings.Contains("yswn", text)
	}
	_, err := strconv.Atoi(text)
	return err == nil
}

// answerApproval answers an approval.
func (c *console) answerApproval(item conversation.Item, text string) {
	session, id := c.session, item.Approval.ID
	word, reason, _ := strings.Cut(text, " ")
	remember := link.Once
	switch word {
	case "y":
	case "s":
		remember = link.ForSession
	case "w":
		remember = link.InWorkspace
	case "n":
		c.answer(item.Key, func(ctx context.Context) error { return c.host.Deny(ctx, session, id, strings.TrimSpace(reason)) })
		return
	default:
		c.out.fact("error", "Answer y, s, w, n, or n and a reason")
		return
	}
	if reason != "" {
		c.out.fact("error", "Only n has a reason: answer y, s, w, n, or n and a reason")
		return
	}
	c.answer(item.Key, func(ctx context.Context) error { return c.host.Allow(ctx, session, id, remember) })
}

// answer sends an answer to what waits.
func (c *console) answer(key string, send func(ctx context.Context) error) {
	own := c.ownAnswers
	own[key] = true
	c.do(func(ctx context.Context) func() {
		err := send(ctx)
		return func() {
			if err != nil {
				delete(own, key)
			}
			// An answer of another client was first: its record follows.
			first := client.IsKind(err, "answered")
			if !first {
				c.report(err)
			}
			if err == nil || first || c.inputEnd {
				c.items.Settle(key)
			}
		}
	})
}

// showQuestion prints how questions were answered by others.
func (c *console) showQuestion(i conversation.Item) {
	s := c.out.of(i.Key)
	if i.Question.Answer == nil || s.ended {
		return
	}
	s.ended = true
	if !c.ownAnswers[i.Key] {
		var all []string
		for _, a := range i.Question.Answer.Answers {
			all = append(all, strings.Join(a, ", "))
		}
		text := "Answered"
		if name := i.Question.Answer.Client.Name; name != "" {
			text += " by " + name
		}
		if len(all) > 0 {
			text += ": " + strings.Join(all, "; ")
		} else if i.Question.Answer.By != "client" {
			text = "The question was withdrawn"
		}
		c.out.fact("notice", text)
	}
}

// showNext prints what waits longest, if it has not been.
func (c *console) showNext() {
	if item, ok := c.waiting(); ok && item.Approval != nil {
		c.showApproval(item)
	}
	c.askQuestion()
}

// askQuestion prints the question that waits for an answer, if it has not been.
func (c *console) askQuestion() {
	item, ok := c.waiting()
	if !ok || item.Question == nil {
		return
	}
	if c.question.key != item.Key {
		c.question = question{key: item.Key}
	}
	n := len(c.question.answers)
	if c.question.printed > n || n >= len(item.Question.Questions) {
		return
	}
	c.question.printed = n + 1
	c.flushText(item.Key)
	c.out.fact("question", questionText(item.Question.Questions[n]))
}

// questionText returns a question with its options, numbered.
func questionText(q record.Question) string {
	text := q.Text
	if q.Header != "" {
		text = q.Header + ": " + text
	}
	for n, o := range q.Options {
		text += fmt.Sprintf("\n%d %s", n+1, o.Label)
		if o.Description != "" {
			text += ": " + o.Description
		}
	}
	if q.Multi {
		text += "\nSeveral numbers are possible, such as 1,2"
	}
	return text
}

// answerQuestion answers the question that was printed last; after the last one all answers are sent.
func (c *console) answerQuestion(item conversation.Item, text string) {
	if c.question.key != item.Key || len(c.question.answers) >= len(item.Question.Questions) {
		c.askQuestion()
	}
	if n := len(c.question.answers); n < len(item.Question.Questions) {
		answer, err := readAnswer(item.Question.Questions[n], text)
		if err != nil {
			c.report(err)
			return
		}
		c.question.answers = append(c.question.answers, answer)
	}
	if len(c.question.answers) < len(item.Question.Questions) {
		return
	}
	session, id, all := c.session, item.Question.ID, c.question.answers
	c.question = question{}
	c.answer(item.Key, func(ctx context.Context) error { return c.host.Answer(ctx, session, id, all) })
}

// readAnswer returns the labels of the options that a text numbers, or the text.
func readAnswer(q record.Question, text string) ([]string, error) {
	if text == "" {
		if len(q.Options) == 0 {
			return nil, errors.New("write an answer")
		}
		return nil, fmt.Errorf("answer with a number from 1 to %d, or with words", len(q.Options))
	}
	if len(q.Options) == 0 {
		return []string{text}, nil
	}
	var labels []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return []string{text}, nil
		}
		if n < 1 || n > len(q.Options) {
			return nil, fmt.Errorf("there is no option %d: answer with a number from 1 to %d, or with words", n, len(q.Options))
		}
		if label := q.Options[n-1].Label; !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if len(labels) > 1 && !q.Multi {
		return nil, errors.New("only one option is possible")
	}
	return labels, nil
}

// denyAll denies what waits: there is no input that could answer.
func (c *console) denyAll() {
	item, ok := c.waiting()
	if !ok {
		return
	}
	session := c.session
	if item.Approval != nil {
		id := item.Approval.ID
		c.answer(item.Key, func(ctx context.Context) error {
			return c.host.Deny(ctx, session, id, "there is no input that could approve it")
		})
		return
	}
	id := item.Question.ID
	c.answer(item.Key, func(ctx context.Context) error { return c.host.Answer(ctx, session, id, nil) })
}
