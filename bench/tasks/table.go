package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"parley.dev/parley/bench/tasks/chat"
)

// columns is a row of the table.
const columns = "%-17s %-9s %-8s %8s %6s %6s %8s %8s %6s %7s\n"

// formatTable returns the table of results, one line a run.
func formatTable(results []result) string {
	var b strings.Builder
	b.WriteString("# How models of three temperaments do the tasks: docs/tasks.md. Written by `make tasks UPDATE=1`.\n#\n")
	seen := map[string]bool{}
	for _, r := range results {
		if r.recording == nil && !seen[r.label] {
			seen[r.label] = true
			fmt.Fprintf(&b, "# %s: %s over %s, system prompt and tools %s tokens\n", r.label, r.temperament.ModelID, r.temperament.Wire, thousands(r.meter.head))
		}
	}
	fmt.Fprintf(&b, "#\n"+columns, "task", "model", "outcome", "requests", "calls", "failed", "sent", "written", "prefix", "compact")
	for _, r := range results {
		outcome := "done"
		if r.why != "" {
			outcome = "not done"
		}
		b.WriteString(r.row(outcome))
	}
	for _, total := range totals(results) {
		b.WriteString(total.row(fmt.Sprintf("%d/%d", total.done, total.runs)))
	}
	return b.String()
}

func (r result) row(outcome string) string {
	return fmt.Sprintf(columns, r.title, r.label, outcome, number(r.meter.requests), number(r.calls), number(r.failed),
		thousands(r.meter.history), thousands(r.written*chat.BytesPerToken), percent(r.meter.kept, r.meter.earlier), number(r.compactions))
}

// A total is the sum of all runs of one temperament.
type total struct {
	result
	runs, done int
}

// totals returns the sums of the scripted runs, in the order of the temperaments.
func totals(results []result) (all []total) {
	for _, r := range results {
		if r.recording != nil {
			continue
		}
		i := slices.IndexFunc(all, func(t total) bool { return t.label == r.label })
		if i < 0 {
			i = len(all)
			all = append(all, total{result: result{run: run{title: "total", label: r.label}}})
		}
		t := &all[i]
		t.runs++
		if r.why == "" {
			t.done++
		}
		t.calls += r.calls
		t.failed += r.failed
		t.written += r.written
		t.compactions += r.compactions
		t.meter.requests += r.meter.requests
		t.meter.history += r.meter.history
		t.meter.earlier += r.meter.earlier
		t.meter.kept += r.meter.kept
	}
	return all
}

func number(n int) string { return fmt.Sprint(n) }

// thousands returns bytes as thousands of tokens.
func thousands(bytes int) string {
	return fmt.Sprintf("%.1fk", float64(bytes/chat.BytesPerToken)/1000)
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d%%", part*100/whole)
}

// compare compares a table with the one that is checked in; of a part of the runs only their lines.
func compare(path, table string, part bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	expected := rows(string(data))
	got := rows(table)
	var differ strings.Builder
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if expected[key] != got[key] && !(part && isSum(key)) {
			differ.WriteString(marked("- ", expected[key]) + marked("+ ", got[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(expected)) {
		if _, ok := got[key]; !ok && !part {
			differ.WriteString(marked("- ", expected[key]))
		}
	}
	if differ.Len() == 0 {
		return nil
	}
	return fmt.Errorf("the table differs from %s; if that is meant, run `make tasks UPDATE=1` and review the change:\n%s", path, differ.String())
}

// isSum reports whether a row is about all runs.
func isSum(key string) bool { return key == "#" || strings.HasPrefix(key, "total/") }

// rows returns the lines of a table by task and model; the comments are one row.
func rows(table string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "#"):
			all["#"] += line
		case len(words) > 1:
			all[words[0]+"/"+words[1]] = line
		}
	}
	return all
}

// marked returns the lines of a text, each with a sign before it.
func marked(sign, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(sign + line)
	}
	return b.String()
}
