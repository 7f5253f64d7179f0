package tool

import (
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
	return "--- " + shownName(from) + "\n+++ " + shownName(to) + "\n" + emptySides(hunks), added, removed
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
