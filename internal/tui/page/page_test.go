package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/tui/conversation"
)

// items returns n items; that with index i has i%4 lines.
func items(n int) []conversation.Item {
	out := make([]conversation.Item, n)
	for i := range out {
		out[i] = conversation.Item{Key: strconv.Itoa(i), Kind: conversation.Notice, Version: i % 4}
	}
	return out
}

func drawTest(item conversation.Item) []string {
	var lines []string
	for i := range item.Version {
		lines = append(lines, fmt.Sprintf("%s.%d", item.Key, i))
	}
	return lines
}

// all returns what a page without an end would show.
func all(items []conversation.Item) []string {
	var lines []string
	for _, item := range items {
		rows := drawTest(item)
		if len(lines) > 0 && len(rows) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, rows...)
	}
	return lines
}

// TestLaw scrolls and grows at random: the page always shows a part of the conversation without a gap, of the whole
// height if there is so much, and it is at the end after End.
func TestLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Page
		list := items(rapid.IntRange(0, 30).Draw(t, "items"))
		for range 20 {
			switch rapid.IntRange(0, 3).Draw(t, "action") {
			case 0:
				p.Scroll(rapid.IntRange(-20, 20).Draw(t, "rows"))
			case 1:
				list = items(len(list) + rapid.IntRange(0, 3).Draw(t, "new"))
			case 2:
				if len(list) > 0 {
					last := &list[len(list)-1]
					last.Version += rapid.IntRange(0, 5).Draw(t, "lines")
				}
			case 3:
				p.End()
			}
			height := rapid.IntRange(1, 12).Draw(t, "height")
			got, want := p.Lines(list, height, drawTest), all(list)
			if len(got) != min(height, len(want)) {
				t.Fatalf("%d lines of %d at height %d", len(got), len(want), height)
			}
			if !strings.Contains("\n"+strings.Join(want, "\n")+"\n", "\n"+strings.Join(got, "\n")+"\n") {
				t.Fatalf("%q is no part of %q", got, want)
			}
			if p.AtEnd() && len(got) > 0 && !slices.Equal(got, want[len(want)-len(got):]) {
				t.Fatalf("%q is not the end of %q", got, want)
			}
		}
		p.End()
		if p.Lines(list, 5, drawTest); !p.AtEnd() {
			t.Fatal("End does not lead to the end")
		}
	})
}

// TestReading: a page that was scrolled up stays where it is while the conversation grows and items come before it, and
// follows the end again when it gets there.
func TestReading(t *testing.T) {
	var p Page
	list := items(50)
	p.Lines(list, 10, drawTest)
	p.Scroll(-30)
	first := p.Lines(list, 10, drawTest)
	if p.AtEnd() {
		t.Fatal("it is at the end")
	}
	longer := append(slices.Clone(list), conversation.Item{Key: "new", Kind: conversation.Notice, Version: 3})
	if got := p.Lines(longer, 10, drawTest); !slices.Equal(got, first) {
		t.Errorf("%q moved to %q", first, got)
	}
	older := append([]conversation.Item{{Key: "old", Kind: conversation.Notice, Version: 3}}, longer...)
	if got := p.Lines(older, 10, drawTest); !slices.Equal(got, first) {
		t.Errorf("%q moved to %q", first, got)
	}
	p.Scroll(1000)
	if got := p.Lines(longer, 10, drawTest); !p.AtEnd() || got[9] != "new.2" {
		t.Errorf("%q", got)
	}
	p.Scroll(-1_000_000)
	if got := p.Lines(longer, 10, drawTest); got[0] != "1.0" {
		t.Errorf("the top is %q", got)
	}
}

// TestSight: only what is in sight is drawn.
func TestSight(t *testing.T) {
	var p Page
	list := items(100_000)
	drawn := 0
	count := func(item conversation.Item) []string {
		drawn++
		return drawTest(item)
	}
	p.Lines(list, 50, count)
	p.Scroll(-10)
	p.Lines(list, 50, count)
	if drawn > 500 {
		t.Errorf("%d items were drawn", drawn)
	}
}

// BenchmarkLines shows the end of a conversation of 100,000 items.
func BenchmarkLines(b *testing.B) {
	list := items(100_000)
	var p Page
	for range b.N {
		p.Lines(list, 50, drawTest)
	}
}
