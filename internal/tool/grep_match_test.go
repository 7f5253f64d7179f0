package tool

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/racetest"
)

// A lookedAt context ends when it was looked at so often.
type lookedAt struct {
	context.Context
	left int
}

func (c *lookedAt) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A search that is interrupted ends within a few looks at the context, whatever the pattern and the
// text. Each of these takes minutes to hours otherwise.
func TestSearchStops(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	text := bytes.Repeat([]byte("a"), 5<<20)
	lines := bytes.Repeat([]byte(strings.Repeat("a", 4<<10)+"\n"), 1<<10)
	for _, pattern := range []string{
		"(a{0,500}){0,2}[bc]",
		"(((a{0,30}){0,30}){0,1})[bc]",
		strings.Repeat(".*", 1000) + "b",
		`a([\s\S]*b)?`,
		"a",
	} {
		for _, multiline := range []bool{false, true} {
			f, err := newFinder(pattern, false, multiline)
			if err != nil {
				t.Fatal(err)
			}
			for range f.matches(&lookedAt{t.Context(), 4}, text) {
				continue
			}
			for range f.matches(&lookedAt{t.Context(), 4}, lines) {
				continue
			}
		}
	}
}

func TestPatternTooLarge(t *testing.T) {
	for _, pattern := range []string{strings.Repeat(".*", 5000), strings.Repeat("a{0,900}|", 8) + "b"} {
		if _, err := newFinder(pattern, false, false); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%.20s: %v, want that the pattern is too large", pattern, err)
		}
	}
}

// The matches in a text are those of Regexp.FindAllIndex, and the first is that of FindIndex,
// also when runes are read one by one.
func TestMatcherLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.SampledFrom([]string{
			"a", "a*", "a*?", "^a", "a$", "^", "$", "^$", `\b`, `\Ba`, `a\b`, "(a|b)+", "(a)(b)?", "a.b", "[^a]", `\Aa`, `b\z`, "é", `\x{FFFD}`, "a|", "(?i:A)b*", "x*",
		}).Draw(rt, "pattern")
		text := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("aab \né.")), 0, 12, -1).Draw(rt, "text"))
		if rapid.Bool().Draw(rt, "invalid") {
			text = append(text, 0xE2, 0x82, 'a')
		}
		f, err := newFinder(pattern, false, true)
		if err != nil {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "slow") {
			f.instructions = maxSteps // as if the pattern were too large for one go
		}
		want := regexp.MustCompile("(?ms)"+pattern).FindAllIndex(text, -1)
		var got [][]int
		for at := range f.all(t.Context(), text) {
			got = append(got, at)
		}
		if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			rt.Fatalf("%q in %q: %v, want %v", pattern, text, got, want)
		}
	})
}
