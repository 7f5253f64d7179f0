package pisces

import (
	"slices"
	"strings"
	"testing"
)

// This file contains lines of dialogues, and what can be done to them so that they are sound no more.

func list(lines ...string) []string { return lines }

func with(parts ...[]string) []string { return slices.Concat(parts...) }

// without returns lines without the first of one kind.
func without(lines []string, line string) []string {
	i := slices.Index(lines, line)
	return slices.Delete(slices.Clone(lines), i, i+1)
}

// twice returns lines in which the first of one kind occurs twice.
func twice(lines []string, line string) []string {
	return slices.Insert(slices.Clone(lines), slices.Index(lines, line), line)
}

// changed returns lines with another text in the first of one kind.
func changed(t *testing.T, lines []string, line, old, to string) []string {
	t.Helper()
	lines = slices.Clone(lines)
	i := slices.Index(lines, line)
	lines[i] = strings.Replace(line, old, to, 1)
	if lines[i] == line {
		t.Errorf("%s is not in %s", old, line)
	}
	return lines
}

// later returns lines with the first of one kind right after another.
func later(lines []string, line, after string) []string {
	lines = without(lines, line)
	return slices.Insert(lines, slices.Index(lines, after)+1, line)
}
