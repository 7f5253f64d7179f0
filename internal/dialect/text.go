package dialect

import (
	"strings"
	"unicode/utf8"
)

// Abridged is a text of the client's as an error may repeat it: at most this many bytes, and
// then a sign that there was more.
func Abridged(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// Ending is how a command ended, in words: what its event.ShellRun.Note begins with.
func Ending(note string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(note, "\n"), "\n")
	return strings.Trim(line, "[]")
}
