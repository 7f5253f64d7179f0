package dialect

import (
	"strconv"
	"strings"
)

// NumberedLines returns a text of the tool that reads files with each line as show returns it.
// Lines without a number, such as notes, stay as they are. The text that show gets has no line feed.
func NumberedLines(text string, show func(number int, text string) string) string {
	var shown strings.Builder
	for line := range strings.Lines(text) {
		body, feed := line, ""
		if strings.HasSuffix(line, "\n") {
			body, feed = line[:len(line)-1], "\n"
		}
		number, rest, numbered := strings.Cut(body, "\t")
		n, err := strconv.Atoi(strings.TrimLeft(number, " "))
		if !numbered || err != nil {
			shown.WriteString(line)
			continue
		}
		shown.WriteString(show(n, rest) + feed)
	}
	return shown.String()
}
