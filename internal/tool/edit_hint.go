package tool

import (
	"errors"
	"fmt"
	"strings"
)

// maxHint is how much of a file an error about a missing text shows, in bytes.
const maxHint = 4 << 10

// notFound says that old does not stand in text, and shows the lines that differ from it
// in white space only, if there are any.
func notFound(text, old string) error {
	from, to, found := sameWords(text, old)
	if !found {
		return errors.New("old does not stand in the file; read the file and copy the text exactly")
	}
	lines := strings.SplitAfter(text, "\n")[from:to]
	hint := strings.ToValidUTF8(strings.Join(lines, ""), "\uFFFD")
	if len(hint) > maxHint {
		hint = strings.ToValidUTF8(hint[:maxHint], "") + "…\n"
	}
	return fmt.Errorf("old does not stand in the file, but lines %d to %d differ from it only in white space; they are exactly:\n%s",
		from+1, to, hint)
}

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

// words is the lines of text, each with its white space made one space.
func words(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

// startsWith is whether lines begins with want. The first and the last line of want may
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
