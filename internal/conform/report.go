package conform

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Report is the results of a run.
type Report struct {
	Dialect string         `json:"dialect"`
	Side    Side           `json:"side"`
	Command []string       `json:"command"`
	Counts  map[Status]int `json:"counts"`
	Seconds float64        `json:"seconds"`
	Cases   []Result       `json:"cases"`
}

// NewReport returns the report of results.
func NewReport(s Suite, o Options, results []Result, took time.Duration) Report {
	counts := map[Status]int{Passed: 0, Failed: 0, Unmet: 0, Skipped: 0}
	for _, r := range results {
		counts[r.Status]++
	}
	return Report{Dialect: s.Dialect, Side: s.Side, Command: o.Command, Counts: counts, Seconds: took.Seconds(), Cases: results}
}

// dialogueLines is how many lines of a dialogue a text report shows, the last ones; lineBytes how much of each.
const (
	dialogueLines = 12
	lineBytes     = 240
)

// word returns the word of the text report for a status.
func (s Status) word() string {
	switch s {
	case Passed:
		return "ok"
	case Failed:
		return "FAILED"
	case Unmet, Skipped:
	}
	return string(s)
}

// Line returns a result as a line of the text report.
func (r Result) Line() string {
	line := fmt.Sprintf("%-8s %-22s %6.2fs  %s", r.Status.word(), r.Name, r.Seconds, r.Title)
	if r.Status == Skipped {
		line += "\n" + strings.Repeat(" ", 41) + "(" + r.Reason + ")"
	}
	return line
}

// WriteDetails writes what a reader needs to understand the failures and the recommendations that are not met.
// Unless it is whole, long dialogues and lines are cut.
func (r Report) WriteDetails(w io.Writer, whole bool) error {
	var b strings.Builder
	for _, c := range r.Cases {
		if c.Status == Failed || c.Status == Unmet {
			c.details(&b, whole)
		}
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d recommended and unmet, %d skipped in %.1f s\n",
		r.Counts[Passed], r.Counts[Failed], r.Counts[Unmet], r.Counts[Skipped], r.Seconds)
	_, err := io.WriteString(w, b.String())
	return err
}

// details writes one failure.
func (r Result) details(b *strings.Builder, whole bool) {
	fmt.Fprintf(b, "\n%s %s: %s\n", r.Status.word(), r.Name, r.Title)
	fmt.Fprintf(b, "  %s: %s\n", r.Severity, r.Source)
	fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(r.Reason, "\n", "\n  "))
	section := func(title string, lines []string, most int) {
		if len(lines) == 0 {
			return
		}
		if over := len(lines) - most; over > 0 && !whole {
			title += fmt.Sprintf(", without the first %d lines", over)
			lines = lines[over:]
		}
		fmt.Fprintf(b, "  %s:\n", title)
		for _, line := range lines {
			if len(line) > lineBytes && !whole {
				line = strings.ToValidUTF8(line[:lineBytes], "") + fmt.Sprintf("… (%d bytes)", len(line))
			}
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
	section("dialogue", r.Dialogue, dialogueLines)
	section("stderr", r.Stderr, stderrLines)
}
