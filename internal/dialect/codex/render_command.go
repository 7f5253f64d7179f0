package codex

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/text"
)

// This file shows the output of commands and the changes of files.

// plainWords is a command line that has the same words for every reader.
var plainWords = lazy.Regexp{Expr: `^[\w@%+=:,./-]+( [\w@%+=:,./-]+)*$`}

// shownLine returns a command line as clients read it: they split it into words, and show what a shell is given as it stands. Without
// the shell, the terminal UI shows "a; b" as "'a;' b".
func shownLine(line string) string {
	if plainWords.Get().MatchString(line) || line == "" {
		return line
	}
	return "/bin/bash -lc '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
}

// growOutput shows live output, of which no more than appserver.MaxOutput is shown.
func (v *view) growOutput(c *call, output string) {
	if c.item == nil || c.Tool != toolShell {
		return
	}
	if left := appserver.MaxOutput - len(c.item.text); left > 0 {
		v.showOutput(c.item, text.Prefix(output, left))
	}
}

// showOutput shows a piece of output.
func (v *view) showOutput(it *item, piece string) {
	if piece == "" {
		return
	}
	it.text = append(it.text, piece...)
	v.notify("item/commandExecution/outputDelta", CommandExecutionOutputDeltaNotification{ThreadID: v.thread, TurnID: v.turn.id, ItemID: it.id, Delta: piece})
}

func (v *view) endCommand(c *call, value CommandExecutionThreadItem, e event.ToolEnded) {
	switch {
	case c.declined && !c.ran:
		value.Status = CommandExecutionStatusDeclined
	case e.Outcome == event.Succeeded && (e.Shell == nil || e.Shell.ExitCode == 0):
		value.Status = CommandExecutionStatusCompleted
	default:
		value.Status = CommandExecutionStatusFailed
	}
	if c.ran {
		output := appserver.Output(e, v.blob)
		rest, same := strings.CutPrefix(output, string(c.item.text))
		if !same { // the process that showed more than it stored was killed
			output, rest = string(c.item.text), ""
		}
		v.showOutput(c.item, rest)
		value.AggregatedOutput, value.DurationMS = &output, c.duration(e)
	}
	if e.Shell != nil && e.Shell.ExitCode >= 0 && !e.Shell.TimedOut && e.Outcome != event.Interrupted {
		code := int64(e.Shell.ExitCode)
		value.ExitCode = &code
	}
	v.complete(c.item, value)
}

func (v *view) fileChanges(changes []event.FileChange) []FileUpdateChange {
	shown := make([]FileUpdateChange, len(changes))
	for i, c := range changes {
		shown[i] = FileUpdateChange{Path: v.absolute(c.Path), Kind: changeKinds[c.Op], Diff: diffText(c)}
	}
	return shown
}

var changeKinds = map[event.FileOp]PatchChangeKind{
	event.Created: AddPatchChangeKind{}, event.Updated: UpdatePatchChangeKind{}, event.Deleted: DeletePatchChangeKind{},
}

// diffText returns a change as this protocol shows it: the content of a file that comes or goes, the hunks of another one.
// It notes where that is not whole.
func diffText(c event.FileChange) string {
	_, hunks, ok := strings.Cut(c.Diff, "\n@@ ")
	switch {
	case c.Diff == "" && c.Added+c.Removed > 0:
		return appserver.NoDiff
	case !ok:
		return ""
	}
	shown := "@@ " + hunks
	if c.Op != event.Updated {
		shown = contentOf(shown)
	}
	if c.Cut > 0 {
		shown += fmt.Sprintf(appserver.CutDiff, c.Cut)
	}
	return shown
}

// contentOf returns the lines of a diff that all come or all go.
func contentOf(hunks string) string {
	var content strings.Builder
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+', '-':
			content.WriteString(line[1:])
		case '\\': // no newline at the end
			return strings.TrimSuffix(content.String(), "\n")
		}
	}
	return content.String()
}
