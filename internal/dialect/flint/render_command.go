package flint

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
)

// This file shows the output of commands and the changes of files.

// growOutput shows live output, of which no more than appserver.MaxOutput is shown.
func (v *view) growOutput(c *call, output string) {
	if c.item == nil || c.Tool != toolShell {
		return
	}
	left := appserver.MaxOutput - len(c.item.text)
	if left <= 0 {
		return
	}
	v.grow(c.item, "item/commandExecution/outputDelta", text.Prefix(output, left))
}

func (v *view) endCommand(c *call, value CommandExecutionItem, e event.ToolEnded) {
	value.Status = c.status(e)
	if c.ran {
		output := appserver.Output(e, v.blob)
		rest, same := strings.CutPrefix(output, string(c.item.text))
		if !same { // the process that showed more than it kept was killed
			output, rest = string(c.item.text), ""
		}
		v.grow(c.item, "item/commandExecution/outputDelta", rest)
		value.AggregatedOutput, value.DurationMS = &output, c.duration(e)
	}
	if e.Shell != nil && e.Shell.ExitCode >= 0 && !e.Shell.TimedOut && e.Outcome != event.Interrupted {
		value.ExitCode = &e.Shell.ExitCode
	}
	v.complete(c.item, value)
}

func (v *view) fileChanges(changes []event.FileChange) []FileUpdateChange {
	wire := make([]FileUpdateChange, len(changes))
	for i, c := range changes {
		wire[i] = FileUpdateChange{Path: v.absolute(c.Path), Kind: changeKinds[c.Op], Diff: diffText(c)}
	}
	return wire
}

var changeKinds = map[event.FileOp]string{event.Created: ChangeAdd, event.Updated: ChangeModify, event.Deleted: ChangeDelete}

// diffText returns a change's diff, and says so where it is not whole.
func diffText(c event.FileChange) string {
	switch {
	case c.Cut > 0:
		return c.Diff + fmt.Sprintf(appserver.CutDiff, c.Cut)
	case c.Diff == "" && c.Added+c.Removed > 0:
		return appserver.NoDiff
	case c.Diff == "":
		return "Binary files differ\n"
	case !strings.Contains(c.Diff, "\n@@ "):
		return emptyDiff(c)
	}
	return c.Diff
}

// emptyDiff returns the diff of a file without lines that comes or goes: programs that apply it
// would see no change in it without the header that says so.
func emptyDiff(c event.FileChange) string {
	_, name, ok := strings.Cut(c.Diff, "\n+++ ")
	mode := "new file mode 100644\n"
	if c.Op == event.Deleted {
		name, ok = strings.CutPrefix(c.Diff, "--- ")
		mode = "deleted file mode 100644\n"
	}
	if !ok || c.Op == event.Updated {
		return c.Diff
	}
	name, _, _ = strings.Cut(name, "\n")
	rest := strings.TrimLeft(name, `"ab`)
	quote := strings.TrimRight(name[:len(name)-len(rest)], "ab")
	return "diff --git " + quote + "a" + rest + " " + quote + "b" + rest + "\n" + mode + c.Diff
}
