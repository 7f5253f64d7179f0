package tool

import (
	"runtime"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
)

// Nested quotes indent every line in them once more: 400 levels would make 10 MB of this.
func TestMarkdownIndentsAreBounded(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	address := prepareFetch(t, map[string]any{"url": "http://example.com"}).url
	for _, tag := range []string{"<blockquote>", "<ul><li>", "<ol><li>"} {
		text := strings.Repeat(tag, 200) + strings.Repeat("<p>x</p>", 5000)
		if got := markdown(text, address); len(got) > 10*len(text) || strings.Count(got, "x") != 5000 {
			t.Errorf("%s: %d bytes became %d with %d lines", tag, len(text), len(got), strings.Count(got, "x"))
		}
	}
}

// A parser that copies the text so far for each end tag without an element allocates 1,400 times the size of this page.
func TestMarkdownMemoryIsBounded(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	address := prepareFetch(t, map[string]any{"url": "http://example.com"}).url
	page := "<p>" + strings.Repeat("a</x>", 64<<10/5)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := markdown(page, address)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100*uint64(len(page)) || strings.Count(got, "a") != 64<<10/5 {
		t.Errorf("a page of %d bytes allocated %d and became %d", len(page), allocated, len(got))
	}
}
