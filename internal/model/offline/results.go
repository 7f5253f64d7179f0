package offline

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// report returns the reply that shows a result.
func report(r model.Result) reply {
	shown := quoted(strings.Split(strings.Trim(r.Text, "\n"), "\n"))
	switch {
	case r.IsError:
		return say("That did not go through:\n%s", shown)
	case strings.TrimSpace(r.Text) == "":
		return say("The result is empty.")
	}
	return say("The result:\n%s", shown)
}

// lines returns the lines of text that are not blank.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// quoted returns the first lines as a code block.
func quoted(lines []string) string {
	more := ""
	if n := len(lines) - 10; n > 0 {
		lines, more = lines[:10], fmt.Sprintf("\n… and %d more", n)
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```" + more
}

// numbered is the numbers that tools put before the lines of a file.
var numbered = lazy.Regexp{Expr: `(?m)^(?:L\d+: ?|\d{5,}\| |\s*\d+#[A-Z]{2}:|[ ]*\d+[\t→|])(.*\n?)|^.*\n?`}

// plain returns the content of a file from the output of a tool that reads, without line numbers; lines
// that have none among numbered ones are the tool's own remarks, and left out.
func plain(text string) string {
	if at := numbered.Get().FindStringSubmatchIndex(text); at == nil || at[2] < 0 { // the first line has none
		return text
	}
	return numbered.Get().ReplaceAllString(text, "$1")
}
