package tool

import (
	"fmt"
	"strings"

	"znkr.io/diff/textdiff"
)

// maxDiffed is the size up to which each side of a change is compared, in bytes.
const maxDiffed = 1 << 20

// unifiedDiff compares two texts and counts the lines added and removed. A path outside the
// workspace is absolute; programs that apply diffs want it relative to the root.
func unifiedDiff(path string, old original, data []byte) (diff string, added, removed int) {
	hunks := textdiff.Unified(string(old.data), string(data), textdiff.IndentHeuristic())
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	path = strings.TrimPrefix(path, "/")
	from, to := "/dev/null", "b/"+path
	if old.exists {
		from = "a/" + path
	}
	return "--- " + gitName(from) + "\n+++ " + gitName(to) + "\n" + emptySides(hunks), added, removed
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

// gitName is a file name as git writes it into a diff: in quotes, with octal escapes, if it
// holds what would break the line, or is no UTF-8.
func gitName(name string) string {
	if shownName(name) == name && !strings.ContainsAny(name, `"\\`) {
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
