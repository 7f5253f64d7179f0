package replay

import (
	"fmt"
	"io"
	"strings"

	"parley.dev/parley/internal/replay"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/text"
)

// printReport prints a report for people.
func printReport(w io.Writer, r replay.Report) error {
	var b strings.Builder
	calls, differ := 0, 0
	for i, t := range r.Turns {
		fmt.Fprintf(&b, "turn %d: %s\n", i+1, line(t.Prompt))
		for _, c := range t.Calls {
			calls++
			if c.Same {
				fmt.Fprintf(&b, "  same     %s %s\n", c.Name, line(string(c.Input)))
				continue
			}
			differ++
			fmt.Fprintf(&b, "  differs  %s %s%s\n", c.Name, line(string(c.Input)), outcomes(c))
			for l := range strings.Lines(c.Diff) {
				b.WriteString("           " + strings.TrimRight(terminal.Clean(l), "\n") + "\n")
			}
		}
		if t.Ended != "" {
			fmt.Fprintf(&b, "  differs  the turn is not completed: %s\n", line(t.Ended))
		}
	}
	fmt.Fprintf(&b, "%s, %s: %d the same, %d different\n", count(len(r.Turns), "turn"), count(calls, "call"), calls-differ, differ)
	if r.Left != "" {
		fmt.Fprintf(&b, "%s\n", r.Left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// outcomes returns how a call ended now and then, if that differs.
func outcomes(c replay.CallReport) string {
	switch {
	case c.Outcome == "":
		return ": it did not run, it had " + string(c.Was)
	case c.Outcome != c.Was:
		return fmt.Sprintf(": %s, it had %s", c.Outcome, c.Was)
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lineLength is how much of a prompt or an input is printed, in bytes.
const lineLength = 100

// line returns the beginning of a text as one line.
func line(s string) string {
	s = text.OneLine(terminal.Clean(s))
	if len(s) <= lineLength {
		return s
	}
	return strings.ToValidUTF8(s[:lineLength], "") + "…"
}
