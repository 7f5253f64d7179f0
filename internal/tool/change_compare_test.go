package tool

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
)

// letters returns n lines of one of so many letters each.
func letters(n, of int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range n {
		b.WriteByte('A' + byte(r.IntN(of)))
		b.WriteByte('\n')
	}
	return b.String()
}

// numbers returns n lines of numbers that begin at from, and at 0 again after the last.
func numbers(n, from int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa((i+from)%n) + "\n")
	}
	return b.String()
}

// Two texts that are long and far apart are compared in bounded time: each of these took 9 to 49 s of
// processor time when all were compared exactly. The diff still makes one of the other.
func TestHostileChanges(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for name, texts := range map[string][2]string{
		"52 letters":      {letters(500_000, 52, 1), letters(500_000, 52, 2)},
		"2 letters":       {letters(500_000, 2, 1), letters(500_000, 2, 2)},
		"rotated numbers": {numbers(150_000, 0), numbers(150_000, 70_000)},
		"short lines":     {strings.Repeat("a\n", maxDiffed/2), "b\n" + strings.Repeat("a\n", maxDiffed/2-2) + "c"},
	} {
		t.Run(name, func(t *testing.T) {
			change := fileChange("f", original{data: []byte(texts[0]), exists: true}, []byte(texts[1]))
			if got, err := ApplyDiff(texts[0], change.Diff); change.Cut == 0 && (err != nil || got != texts[1]) {
				t.Error("the diff does not make the new text of the old one")
			}
		})
	}
}

// A few changes of a file of 12 MB, whose lines stand in it many times, are shown as they are.
func TestDiffOfLargeFile(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	line := func(i int) string { return "\tline " + strconv.Itoa(i%1000) + " of a file\n" }
	var from, to strings.Builder
	for i := range 600_000 {
		from.WriteString(line(i))
		if i%60_000 == 30_000 {
			to.WriteString("changed\n")
			continue
		}
		to.WriteString(line(i))
	}
	change := fileChange("f", original{data: []byte(from.String()), exists: true}, []byte(to.String()))
	if change.Added != 10 || change.Removed != 10 || change.Cut != 0 || strings.Count(change.Diff, "\n@@ ") != 10 {
		t.Errorf("%d lines added, %d removed, %d cut, in %d hunks; want 10, 10, 0, 10", change.Added, change.Removed, change.Cut, strings.Count(change.Diff, "\n@@ "))
	}
	if got, err := ApplyDiff(from.String(), change.Diff); err != nil || got != to.String() {
		t.Error("the diff does not make the new text of the old one")
	}
}

// The diffs of one call are cut at a line where they are too long together, and the lines that are missing are counted.
func TestCutDiff(t *testing.T) {
	c := event.FileChange{Diff: "--- a\n+++ b\n@@ -0,0 +1,3 @@\n+1\n+22\n+3\n"}
	room := CutDiff(&c, len(c.Diff)-4)
	if want := "--- a\n+++ b\n@@ -0,0 +1,3 @@\n+1\n"; c.Diff != want || c.Cut != 2 || room != 3 {
		t.Errorf("%q, %d cut, %d left; want %q, 2, 3", c.Diff, c.Cut, room, want)
	}
	whole := event.FileChange{Diff: "+1\n"}
	if room := CutDiff(&whole, 3); whole.Diff != "+1\n" || whole.Cut != 0 || room != 0 {
		t.Errorf("%+v, %d left", whole, room)
	}
}

// What is left out before the comparison changes nothing but its time: the diffs of long texts
// lead from one to the other, with the smallest number of changed lines that are known.
func TestCompareLaw(t *testing.T) {
	lines := numbers(1000, 0)
	rapid.Check(t, func(rt *rapid.T) {
		from := strings.SplitAfter(lines, "\n")
		to := slices.Clone(from)
		edits := rapid.IntRange(1, 5).Draw(rt, "edits")
		for range edits {
			i := rapid.IntRange(0, len(to)-1).Draw(rt, "line")
			to[i] = rapid.SampledFrom([]string{"", "x\n", "x\ny\n", "no end"}).Draw(rt, "text")
		}
		a, b := lines, strings.Join(to, "")
		change := fileChange("f", original{data: []byte(a), exists: true}, []byte(b))
		got, err := ApplyDiff(a, change.Diff)
		if err != nil || got != b {
			rt.Fatalf("%v\n%s", err, change.Diff)
		}
		if change.Removed > 2*edits {
			rt.Fatalf("%d lines removed by %d edits:\n%s", change.Removed, edits, change.Diff)
		}
	})
}

// withinEdits agrees with the length of the longest common subsequence.
func TestWithinEditsLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.Int32Range(0, 3)
		a, b := rapid.SliceOfN(line, 0, 12).Draw(rt, "a"), rapid.SliceOfN(line, 0, 12).Draw(rt, "b")
		common := make([][]int, len(a)+1)
		for i := range common {
			common[i] = make([]int, len(b)+1)
		}
		for i := range a {
			for j := range b {
				common[i+1][j+1] = max(common[i][j+1], common[i+1][j])
				if a[i] == b[j] {
					common[i+1][j+1] = common[i][j] + 1
				}
			}
		}
		edits := len(a) + len(b) - 2*common[len(a)][len(b)]
		for limit := range 26 {
			if got, want := withinEdits(a, b, limit), edits <= limit; got != want {
				rt.Fatalf("withinEdits(%v, %v, %d) = %v, but %d edits are needed", a, b, limit, got, edits)
			}
		}
	})
}
