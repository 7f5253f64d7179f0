package session

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
)

// CommandText returns a command of a user as models read it.
func CommandText(e event.CommandRan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran `%s`\n", e.Shell.Command)
	if e.Output == "" {
		b.WriteString("(it wrote nothing)")
	} else {
		b.WriteString(text.Fenced(e.Output))
	}
	for _, note := range commandNotes(e) {
		fmt.Fprintf(&b, "\n(%s)", note)
	}
	return b.String()
}

// commandNotes returns what the output does not.
func commandNotes(e event.CommandRan) []string {
	var notes []string
	if e.Cut {
		notes = append(notes, fmt.Sprintf("only the last %d of %d bytes are shown", len(e.Output), e.Bytes))
	}
	switch {
	case e.Cancelled:
		notes = append(notes, "it was cancelled")
	case e.Shell.TimedOut:
		notes = append(notes, "it took too long and was ended")
	case e.Shell.Signal != "":
		notes = append(notes, "it was killed by signal "+e.Shell.Signal)
	case e.Shell.ExitCode != 0:
		notes = append(notes, fmt.Sprintf("exit code %d", e.Shell.ExitCode))
	}
	return notes
}
