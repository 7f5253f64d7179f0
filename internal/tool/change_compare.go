package tool

import (
	"fmt"
	"slices"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// Bounds of the comparison of two texts. The time of the exact one grows with the lines times the
// edits between them; within the bounds it takes less than a second.
const (
	maxExactLines = 6000      // of both texts
	maxEdits      = 400       // lines removed and added, of longer texts
	maxLines      = 2_000_000 // of both texts
)

// shownLines is how many lines before and after a change are compared with it: those that a hunk
// shows, and those that it may be moved over to begin at a better place.
const shownLines = 100

// compare returns the hunks of a unified diff of two texts.
//
// Nothing can interrupt a comparison, so its time must be bounded before it begins. Common lines at
// both ends are left out first; the rest is compared exactly if that cannot take long, else by the
// lines that stand once in each text, and if there are very many lines it is replaced as a whole.
func compare(from, to string) string {
	head := commonHead(from, to)
	a, b := from[head:], to[head:]
	tail := commonTail(a, b)
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	return shiftHunks(compareMiddle(a, b), strings.Count(from[:head], "\n"))
}

func compareMiddle(from, to string) string {
	if strings.Count(from, "\n")+strings.Count(to, "\n") > maxLines {
		return replaceAll(from, to)
	}
	a, b := numberedLines(from, to)
	if len(a)+len(b) > maxExactLines && !withinEdits(a, b, maxEdits) {
		return textdiff.Unified(from, to, diff.Fast())
	}
	return textdiff.Unified(from, to, textdiff.IndentHeuristic())
}

// commonHead returns how many bytes at the beginning of both texts need no comparison: whole lines,
// without those that a hunk may show.
func commonHead(from, to string) int {
	n := 0
	for n < min(len(from), len(to)) && from[n] == to[n] {
		n++
	}
	for range shownLines + 1 { // the first of them ends the line that differs
		n = strings.LastIndexByte(from[:max(n-1, 0)], '\n') + 1
	}
	return n
}

// commonTail is commonHead for the end of both texts.
func commonTail(from, to string) int {
	n := 0
	for n < min(len(from), len(to)) && from[len(from)-1-n] == to[len(to)-1-n] {
		n++
	}
	rest := from[len(from)-n:]
	for range shownLines + 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return len(rest)
}

// shiftHunks adds lines to the line numbers of hunks.
func shiftHunks(hunks string, lines int) string {
	if lines == 0 {
		return hunks
	}
	var b strings.Builder
	for line := range strings.Lines(hunks) {
		var at, n, toAt, toN int
		if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &at, &n, &toAt, &toN); line[0] == '@' && err == nil {
			line = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", at+lines, n, toAt+lines, toN)
		}
		b.WriteString(line)
	}
	return b.String()
}

// replaceAll returns one hunk that removes all lines of a text and adds those of another.
func replaceAll(from, to string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -1,%d +1,%d @@\n", countLines([]byte(from)), countLines([]byte(to)))
	for _, side := range []struct{ mark, text string }{{"-", from}, {"+", to}} {
		for line := range strings.Lines(side.text) {
			b.WriteString(side.mark)
			b.WriteString(line)
			if !strings.HasSuffix(line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// numberedLines returns the lines of two texts as numbers: lines are equal where their numbers are.
func numberedLines(from, to string) (a, b []int32) {
	numbers := map[string]int32{}
	number := func(text string) []int32 {
		lines := make([]int32, 0, strings.Count(text, "\n")+1)
		for line := range strings.Lines(text) {
			n, ok := numbers[line]
			if !ok {
				n = int32(len(numbers))
				numbers[line] = n
			}
			lines = append(lines, n)
		}
		return lines
	}
	return number(from), number(to)
}

// withinEdits reports whether at most limit removed and added lines make b of a. It is the greedy
// algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), figure 2,
// without the path: far[k] is how far along a the best way on diagonal k gets.
func withinEdits(a, b []int32, limit int) bool {
	if diff := len(a) - len(b); diff > limit || -diff > limit {
		return false
	}
	far := slices.Repeat([]int{-1}, 2*limit+3)
	at := func(k int) *int { return &far[k+limit+1] }
	*at(1) = 0
	for d := range limit + 1 {
		for k := -d; k <= d; k += 2 {
			x := *at(k - 1) + 1
			if k == -d || k != d && *at(k - 1) < *at(k + 1) {
				x = *at(k + 1)
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			if x >= len(a) && x-k >= len(b) {
				return true
			}
			*at(k) = x
		}
	}
	return false
}
