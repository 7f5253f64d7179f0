package session

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
)

// Commands are the commands of the user that have an id.
type Commands struct {
	Open  []event.CommandStarted // those without an end
	known map[event.CommandID]bool
}

// Known reports whether a command of that id was started.
func (c *Commands) Known(id event.CommandID) bool { return c.known[id] }

// Unclosed returns the events that end the open commands, whose outcome is not known.
func (c *Commands) Unclosed() []event.Event {
	var events []event.Event
	for _, e := range c.Open {
		events = append(events, event.CommandRan{
			ID: e.ID, Shell: event.ShellRun{Command: e.Command, ExitCode: -1}, Hidden: e.Hidden, Unknown: true,
		})
	}
	return events
}

func (c *Commands) start(e event.CommandStarted) {
	if c.known == nil {
		c.known = map[event.CommandID]bool{}
	}
	c.known[e.ID] = true
	c.Open = append(c.Open, e)
}

func (c *Commands) end(id event.CommandID) {
	c.Open = slices.DeleteFunc(c.Open, func(e event.CommandStarted) bool { return e.ID == id })
}

// CommandText returns a command of a user as models read it.
func CommandText(e event.CommandRan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran `%s`\n", e.Shell.Command)
	switch {
	case e.Unknown:
		b.WriteString("(its outcome is not known: Parley ended while it ran)")
		return b.String()
	case e.Output == "":
		b.WriteString("(it wrote nothing)")
	default:
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
