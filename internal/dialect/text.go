package dialect

import (
	"strings"

	"parley.dev/parley/internal/text"
)

// Abridged returns the beginning of a text of the client, at most limit bytes, for an error that
// repeats it.
func Abridged(s string, limit int) string { return text.Clip(s, limit, "…") }

// Ending returns how a command ended, in words: the beginning of its event.ShellRun.Note.
func Ending(note string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(note, "\n"), "\n")
	return strings.Trim(line, "[]")
}
