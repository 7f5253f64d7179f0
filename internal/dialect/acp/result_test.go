package acp

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestParts: a long text is cut to what may be shown, stays valid, and its note has the number of bytes that are missing.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"x", "ä", "line\n", "日本\n", "€uro line that is a little longer\n"}).Draw(t, "unit")
		s := strings.Repeat(unit, rapid.IntRange(0, 2*contentLimit/len(unit)).Draw(t, "times"))
		dropped := rapid.SampledFrom([]int{0, 7}).Draw(t, "dropped")
		first, last := firstPart(s), lastPart(s, dropped)
		for _, part := range []string{first, last} {
			if len(part) > contentLimit || !utf8.ValidString(part) {
				t.Fatalf("%d bytes, valid: %t", len(part), utf8.ValidString(part))
			}
		}
		if n := 0; first != s {
			kept, note := first[:strings.LastIndexByte(first, '\n')], first[strings.LastIndexByte(first, '\n'):]
			if _, err := fmt.Sscanf(note, "\n[%d bytes after this are not shown]", &n); err != nil || !strings.HasPrefix(s, kept) || len(kept)+n != len(s) {
				t.Fatalf("%d of %d bytes, %q", len(kept), len(s), note)
			}
		}
		if n := 0; last != s {
			note, kept, _ := strings.Cut(last, "\n")
			if _, err := fmt.Sscanf(note, "[%d bytes before this are not shown]", &n); err != nil || !strings.HasSuffix(s, kept) || len(kept)+n != len(s)+dropped {
				t.Fatalf("%d of %d bytes, %q", len(kept), len(s), note)
			}
		}
	})
}

// TestOutputTail: the last part of an output is what the pieces of it are together.
func TestOutputTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o output
		all := ""
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, contentLimit), 0, 6).Draw(t, "sizes") {
			piece := strings.Repeat("ab\n", n/3)
			all += piece
			o.add(piece)
		}
		if !strings.HasSuffix(all, string(o.tail)) || len(o.tail)+o.dropped != len(all) {
			t.Fatalf("%d bytes and %d dropped of %d", len(o.tail), o.dropped, len(all))
		}
	})
}
