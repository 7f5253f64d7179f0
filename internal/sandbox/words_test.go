package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// TestWords: lines come whole however they are written, long ones are cut, and empty ones are
// not the last.
func TestWords(t *testing.T) {
	var said []string
	w := NewWords(func(line string) string {
		said = append(said, line)
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
	w.End()
	w.End()
	if want := []string{"one", "two", " ", "three"}; !slices.Equal(said, want) || w.Last() != "three" {
		t.Errorf("%q", said)
	}
	said = nil
	long := strings.Repeat("x", maxWord-1)
	for _, part := range []string{long, "yzz", "z\nnext\n"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Error(n, err)
		}
	}
	if want := []string{long + "y", "next"}; !slices.Equal(said, want) {
		t.Errorf("%d lines, of %d bytes", len(said), len(said[0]))
	}
}
