package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// files returns the lines of a listing that name files.
func files(text string) []string {
	return slices.DeleteFunc(lines(text), func(l string) bool {
		return strings.ContainsAny(l[:1], "([") || strings.HasSuffix(l, "/") || nothingFound().MatchString(l)
	})
}

// lines returns the lines of text that are not blank.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}

// quoted returns the first lines as a code block.
func quoted(lines []string) string {
	more := ""
	if n := len(lines) - shownLines; n > 0 {
		lines, more = lines[:shownLines], fmt.Sprintf("\n… and %d more", n)
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```" + more
}

// head returns the first line of text that is not blank.
func head(text string) string {
	if all := lines(text); len(all) > 0 {
		return strings.TrimSpace(all[0])
	}
	return ""
}

// count returns n with the noun in its number; plural is given where it is not noun + s.
func count(n int, noun string, plural ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(plural) > 0:
		return fmt.Sprintf("%d %s", n, plural[0])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// numberings is how tools number the lines of a file they show.
var numberings = []func() *regexp.Regexp{
	once(`^L\d+: ?`), once(`^\d{5,}\| `), once(`^\s*\d+#[A-Z]{2}:`), once(`^\s*\d+[\t→|]`),
}

// plain returns the content of a file from the output of a read tool, without line numbers; lines that have none
// among numbered ones are the tool's own remarks, and left out.
func plain(text string) string {
	for _, numbering := range numberings {
		re := numbering()
		if !re.MatchString(text) {
			continue
		}
		var out strings.Builder
		for line := range strings.Lines(text) {
			if prefix := re.FindString(line); prefix != "" {
				out.WriteString(line[len(prefix):])
			}
		}
		return out.String()
	}
	return text
}
