package tool

import (
	"strings"
	"testing"
)

// However the pipe cuts the bytes, runes stay whole.
func TestShellStreamSplits(t *testing.T) {
	const raw, want = "aé\x00日本\xffb🍐\xe2\x82", "aé\uFFFD日本\uFFFDb🍐\uFFFD"
	for first := range len(raw) + 1 {
		for second := first; second <= len(raw); second++ {
			var live strings.Builder
			o := newShellOutput(func(text string) { live.WriteString(text) }, false)
			for _, piece := range []string{raw[:first], raw[first:second], raw[second:]} {
				if n, err := o.stdout.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			o.end()
			if text, _ := o.cut(MaxText); string(text) != want || live.String() != want {
				t.Fatalf("cut at %d and %d: %q, live %q", first, second, text, live.String())
			}
		}
	}
}
