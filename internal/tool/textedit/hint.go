package textedit

import (
	"errors"
	"fmt"
	"strings"
)

// maxHint is how much of a file an error about a missing text shows, in bytes.
const maxHint = 4 << 10

// notFound returns the error that old was not found in text. It shows the lines that differ from it
// in white space only, if there are any.
func notFound(text, old string) error {
	from, to, found := sameWords(text, old)
	if !found {
		return nearest(text, old)
	}
	lines := strings.SplitAfter(text, "\n")[from:to]
	hint := strings.ToValidUTF8(strings.Join(lines, ""), "\uFFFD")
	if len(hint) > maxHint {
		hint = strings.ToValidUTF8(hint[:maxHint], "") + "…\n"
	}
	return fmt.Errorf("the text to replace was not found in the file, but %s from it only in white space; they are exactly:\n%s",
		differ(from+1, to), hint)
}

func differ(first, last int) string {
	if first == last {
		return LineRange(first, last) + " differs"
	}
	return LineRange(first, last) + " differ"
}

// nearest returns the error that old was not found in text. It shows the lines that have the most in
// common with it, if at least half of its lines are there.
func nearest(text, old string) error {
	lines := strings.SplitAfter(text, "\n")
	want := strings.Split(strings.Trim(old, "\r\n"), "\n")
	best, common := 0, 0
	if len(lines)*len(want) <= maxCompared {
		plain := make([]string, len(lines))
		for i, line := range lines {
			plain[i] = Plain(line)
		}
		for i := range want {
			want[i] = Plain(want[i])
		}
		for at := range plain {
			n := 0
			for i, line := range want {
				if line != "" && at+i < len(plain) && plain[at+i] == line {
					n++
				}
			}
			if n > common {
				best, common = at, n
			}
		}
	}
	if len(want) < 2 || 2*common < len(want) {
		return errors.New("the text to replace was not found in the file; read the file and copy the text exactly")
	}
	end := min(len(lines), best+len(want))
	near := strings.ToValidUTF8(strings.Join(lines[best:end], ""), "\uFFFD")
	if len(near) > maxHint {
		near = strings.ToValidUTF8(near[:maxHint], "") + "…\n"
	}
	return fmt.Errorf("the text to replace was not found in the file; the nearest place is %s:\n%s", LineRange(best+1, end), near)
}

// maxCompared is how many pairs of lines are compared to find the nearest place.
const maxCompared = 20_000_000

// sameWords finds the first lines of text that hold the same words as the lines of old,
// blank lines around them left aside.
func sameWords(text, old string) (from, to int, found bool) {
	want := words(strings.Trim(old, " \t\r\n"))
	if len(want) == 1 && want[0] == "" {
		return 0, 0, false
	}
	have := words(text)
	for i := 0; i+len(want) <= len(have); i++ {
		if startsWith(have[i:], want) {
			return i, i + len(want), true
		}
	}
	return 0, 0, false
}

// words returns the lines of text, each with its white space made one space.
func words(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

// startsWith reports whether lines begins with want. The first and the last line of want may
// be parts: a text to replace need not be whole lines.
func startsWith(lines, want []string) bool {
	last := len(want) - 1
	if last == 0 {
		return strings.Contains(lines[0], want[0])
	}
	for i, line := range want[1:last] {
		if lines[i+1] != line {
			return false
		}
	}
	return strings.HasSuffix(lines[0], want[0]) && strings.HasPrefix(lines[last], want[last])
}
