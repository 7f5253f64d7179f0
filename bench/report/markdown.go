package report

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Markdown returns the run as tables: which subjects meet which budget, and each figure in full.
func (r *Run) Markdown() string {
	var b strings.Builder
	h := r.Head
	fmt.Fprintf(&b, "%s, %d cores, %s, %s, revision %s, %s, load %s, one fsync of a small record %s; %d rounds, the model on the %s wire.\n",
		h.Machine, h.Cores, h.Kernel, h.Go, h.Revision, h.Date.UTC().Format(time.RFC3339), h.Load, Seconds.Format(h.Sync), h.Rounds, h.Wire)
	if h.Reduced != "" {
		fmt.Fprintf(&b, "\nA quick run: %s. Its figures are for information.\n", h.Reduced)
	}
	cells := r.Cells()
	b.WriteString("\n## Budgets\n\nEach figure as a fraction of its budget. Above 1 (bold) the budget is not met.\n\n")
	b.WriteString(r.summary(cells))
	b.WriteString("\n## Figures\n\nThe median of all rounds, and the 10th and 90th percentiles.\n\n")
	b.WriteString(details(cells))
	return b.String()
}

// summary has a row for each figure with a budget, a column for each program.
func (r *Run) summary(cells []Cell) string {
	programs := r.Programs
	head, rule := []string{"figure", "budget"}, []string{"---", "---"}
	for _, p := range programs {
		if p.Name != Floor {
			head, rule = append(head, p.Name), append(rule, "---")
		}
	}
	var b strings.Builder
	b.WriteString(row(head...) + row(rule...))
	for _, f := range Figures() {
		cols, judged := []string{f.Name, f.Budget.limit(f.Unit)}, false
		for _, p := range programs {
			if p.Name == Floor {
				continue
			}
			text := ""
			for _, c := range cells {
				if c.Figure.ID == f.ID && c.Program == p && c.Limited {
					text, judged = c.use(), true
				}
			}
			cols = append(cols, text)
		}
		if judged {
			b.WriteString(row(cols...))
		}
	}
	return b.String()
}

// use returns the part of the budget for users, bold where it is too much.
func (c Cell) use() string {
	text := digits(c.Used)
	if !c.Met() {
		text = "**" + text + "**"
	}
	return text
}

// details has a row for each figure of each program.
func details(cells []Cell) string {
	var b strings.Builder
	b.WriteString(row("figure", "program", "median", "p10–p90", "×", "budget", "result") + row("---", "---", "---", "---", "---", "---", "---"))
	last := ""
	for _, c := range cells {
		name := c.Figure.Name
		if name == last {
			name = ""
		}
		last = c.Figure.Name
		f := c.Figure.Unit.Format
		ratio, limit, verdict := "", "", ""
		if !math.IsNaN(c.Ratio) && c.Program.Name != Floor {
			ratio = digits(c.Ratio)
		}
		if c.Program.Name != Floor {
			limit = c.Budget.limit(c.Figure.Unit)
		}
		if c.Limited {
			verdict = map[bool]string{true: "met", false: "**not met**"}[c.Met()]
		}
		b.WriteString(row(name, c.Program.Name, f(c.Sample.Median()), f(c.Sample.At(0.1))+" – "+f(c.Sample.At(0.9)), ratio, limit, verdict))
	}
	return b.String()
}
