package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// Lines are complete however they are written, long ones are cut, and Last skips empty ones.
func TestLineWriter(t *testing.T) {
	var lines []string
	w := NewLineWriter(func(line string) string {
		lines = append(lines, line)
		return strings.TrimSpace(line)
	})
	for _, part := range []string{"o", "ne\ntwo\n\n \nthr", "", "ee"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Error(n, err)
		}
	}
	if w.Last() != "two" {
		t.Errorf("the last is %q", w.Last())
	}
	w.Flush()
	w.Flush()
	if want := []string{"one", "two", " ", "three"}; !slices.Equal(lines, want) || w.Last() != "three" {
		t.Errorf("%q", lines)
	}
	lines = nil
	long := strings.Repeat("x", maxLine-1)
	for _, part := range []string{long, "yzz", "z\nnext\n"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Error(n, err)
		}
	}
	if want := []string{long + "y", "next"}; !slices.Equal(lines, want) {
		t.Errorf("%d lines, of %d bytes", len(lines), len(lines[0]))
	}
}
