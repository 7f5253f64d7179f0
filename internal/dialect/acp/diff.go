package acp

import (
	"strings"

	"parley.dev/parley/internal/event"
)

// diff returns the change of a file: the lines that have changed with those around them.
func (v *view) diff(change event.FileChange) DiffOfTool {
	before, after := sidesOf(change.Diff)
	d := DiffOfTool{Type: "diff", Path: v.absolute(change.Path), NewText: after}
	if change.Existed {
		d.OldText = &before
	}
	return d
}

// sidesOf returns the lines of a unified diff as they were and as they are.
func sidesOf(diff string) (before, after string) {
	var left, right strings.Builder
	inHunk := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case !inHunk:
		case strings.HasPrefix(line, "-"):
			left.WriteString(line[1:])
		case strings.HasPrefix(line, "+"):
			right.WriteString(line[1:])
		case strings.HasPrefix(line, " "):
			left.WriteString(line[1:])
			right.WriteString(line[1:])
		}
	}
	return left.String(), right.String()
}
