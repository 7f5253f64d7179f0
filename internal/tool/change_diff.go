package tool

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

const (
	// maxDiffed is the size up to which each side of a change is compared, in bytes.
	maxDiffed = 16 << 20
	// maxDiffs is how long the diffs of all changes of a call may be, in bytes: records of the
	// journal have a limit.
	maxDiffs = 16 << 20
)

// CutDiff shortens the diff of a change at a line, if it is longer than room bytes, and counts what it
// leaves out. It returns the room that is left.
func CutDiff(c *event.FileChange, room int) int {
	if len(c.Diff) > room {
		end := strings.LastIndexByte(c.Diff[:room], '\n') + 1
		c.Cut += strings.Count(c.Diff[end:], "\n")
		c.Diff = strings.Clone(c.Diff[:end]) // the whole is not kept in memory
	}
	return room - len(c.Diff)
}

// unifiedDiff compares two texts and counts the lines added and removed. A path outside the
// workspace is absolute; programs that apply diffs want it relative to the root.
func unifiedDiff(path string, old original, data []byte) (diff string, added, removed int) {
	hunks := compare(string(old.data), string(data))
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	path = strings.TrimPrefix(path, "/")
	fromName, toName := "/dev/null", "b/"+path
	if old.exists {
		fromName = "a/" + path
	}
	return "--- " + gitName(fromName) + "\n+++ " + gitName(toName) + "\n" + emptySides(hunks), added, removed
}

// emptySides corrects the header of the only hunk if a side has no lines: by convention
// it begins at line 0 then, where the library writes 1.
func emptySides(hunks string) string {
	header, rest, found := strings.Cut(hunks, "\n")
	if !found {
		return hunks
	}
	header = strings.Replace(header, "@@ -1,0 ", "@@ -0,0 ", 1)
	header = strings.Replace(header, " +1,0 @@", " +0,0 @@", 1)
	return header + "\n" + rest
}

// gitName returns a file name as git writes it into a diff: in quotes, with octal escapes, if it
// holds what would break the line, or is no UTF-8.
func gitName(name string) string {
	if workspace.DisplayName(name) == name && !strings.ContainsAny(name, `"\\`) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
