package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/terminal"
)

// Choose shows questions of a model and returns a list of answers for each: labels of options, or
// one free text. It returns nil if the user gives none. The only error is the cause of ctx.
func (c *Console) Choose(ctx context.Context, questions []event.Question) ([][]string, error) {
	var answers [][]string
	for _, q := range questions {
		c.showQuestion(q)
		for {
			line, err := c.read(ctx, "Answer: ")
			if err != nil {
				return nil, context.Cause(ctx)
			}
			chosen, problem := choice(q, line)
			if problem == "" {
				answers = append(answers, chosen)
				break
			}
			c.screen.write(problem + "\n")
		}
	}
	return answers, nil
}

func (c *Console) showQuestion(q event.Question) {
	var b strings.Builder
	if c.screen.errFile != nil {
		b.WriteString(reset)
	}
	b.WriteString(c.screen.paint(bold, "The model asks:") + "\n")
	columns, _ := c.screen.size()
	for _, line := range (block{lines: strings.Split(terminal.Clean(q.Text), "\n")}).render(c.screen, nil, columns-1) {
		b.WriteString(line + "\n")
	}
	for i, o := range q.Options {
		text := terminal.Line(o.Label)
		if o.Description != "" {
			text += ": " + terminal.Line(o.Description)
		}
		fmt.Fprintf(&b, "  %d. %s\n", i+1, text)
	}
	switch {
	case len(q.Options) == 0:
		b.WriteString("Type an answer.\n")
	case q.Multi:
		b.WriteString("Type numbers with spaces between, or an answer of your own.\n")
	default:
		b.WriteString("Type a number, or an answer of your own.\n")
	}
	c.screen.write(b.String())
}

// choice returns the answer that a line contains, or what is wrong with it.
func choice(q event.Question, line string) (chosen []string, problem string) {
	line = strings.TrimSpace(line)
	if line == "" {
		return nil, "An answer is needed."
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
	if len(q.Options) == 0 || len(words) > 1 && !q.Multi {
		return []string{line}, ""
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			return []string{line}, ""
		}
		if n < 1 || n > len(q.Options) {
			return nil, fmt.Sprintf("There is no answer %d.", n)
		}
		chosen = append(chosen, q.Options[n-1].Label)
	}
	return chosen, ""
}
