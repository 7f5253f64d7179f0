package draw

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tui/conversation"
)

func linesOf(d *Drawer, text string, version int, open bool, width int) []string {
	return d.Lines(conversation.Item{Key: "a", Kind: conversation.Answer, Version: version, Text: text, Open: open}, width, false)
}

// TestGrowing draws an answer after each character: it is as if each were drawn alone, and in the end as if it had
// never grown.
func TestGrowing(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, text := range append([]string{
		answerText, strings.Repeat(answerText+"\n\n", 3), "a\r\nb\r\n\r\nc",
		"a\n\n```python\n" + strings.Repeat("def f(a):\n    \"\"\"text\"\"\"\n\n    return a  # why\n\n\n", 60) + "```\n\nb", "~~~~ diff\n+a\n-b\n~~~\n~~~~\nc", "```\n\n\n\na\n\n", "  ```\na\n  ```", "[a][b]\n\nx\n\n[b]: http://b.test\n\n[c][b]",
	}, hostile...) {
		d := New(Dark, Options{Links: true})
		version := 0
		for i := range text {
			if len(text) > 500 && i%(len(text)/150) != 0 {
				continue
			}
			version++
			got := linesOf(d, text[:i], version, true, 60)
			if strings.Contains(text, "]: ") {
				continue // a reference is known to what follows it, and at the end to all
			}
			if want := linesOf(New(Dark, Options{Links: true}), text[:i], 1, true, 60); !slices.Equal(got, want) {
				t.Fatalf("%q\ngrown %q\nfresh %q", text[:i], got, want)
			}
		}
		if got, want := linesOf(d, text, version+1, false, 60), linesOf(New(Dark, Options{Links: true}), text, 1, false, 60); !slices.Equal(got, want) {
			t.Fatalf("%q\ngrown %q\nfresh %q", text, got, want)
		}
	}
}

// FuzzParagraph draws a long paragraph while it grows: each of its beginnings is as if it were drawn alone.
func FuzzParagraph(f *testing.F) {
	racetest.Skip(f, racetest.Sequential)
	for _, words := range []string{
		"unsent", "one, two; three", "a  b", "well-known and/or (this)", strings.Repeat("w", 90), "a " + strings.Repeat("w-", 45), "https://a.test/b-c", "слово и ещё", "日本 語テキスト", "e\u0301 \u0301",
		"x 👩\u200d👩\u200d👧 y", "❤️ z", "กำ ำ", "1. 2) -", "a\u200bb", "www.a.test", "at \x00",
		"@0123456789;", "日本語。", strings.Repeat("@01234;", 40), strings.Repeat("日本、", 30), strings.Repeat("日本ab-c", 20), strings.Repeat("(a", 90), ";" + strings.Repeat("x", 200), "(" + strings.Repeat("x", 200), ";" + strings.Repeat("(x@b.test-", 20),
	} {
		for _, end := range []string{"**b** *c", "@b.test\tc", "_b_", "`b`", "\n-\n\nc"} {
			f.Add(words, end)
		}
	}
	for _, end := range []string{
		"", "\n===\nc", "\n\nnext **b** c", "\n- b\n- c", "| b\n|-|\nc", "\n-|-\nc", "\r\nb\r\n\r\nc", "`b c` d", "[b](http://c) d", "[b]: http://c", "  \nb", " \t b", "\n# b", "&amp; b", "a@b.test c",
		"http://a.test/b c", "\xff b", "# b", "- b", "> b", "\u0301 b", "```\nb\n```",
	} {
		f.Add("some-what long", end)
	}
	f.Fuzz(func(t *testing.T, words, end string) {
		const least = settleLeast + settleLeast/2
		if len(words) > 300 || len(end) > 60 || strings.Contains(words+end, "]:") {
			return
		}
		if len(words) < 150 {
			words += " "
		}
		text := strings.Repeat(words, least/(len(words)+1)+1)
		from := len(text)
		text += end + " " + words
		for _, width := range []int{24, 60} {
			d := New(Dark, Options{Links: true})
			version := 0
			for i := 211; i < len(text); {
				switch {
				case i < from:
					i = min(i+211, from)
				case i < from+len(end)+2:
					i++
				default:
					i = min(i+17, len(text))
				}
				version++
				got := linesOf(d, text[:i], version, true, width)
				if want := linesOf(New(Dark, Options{Links: true}), text[:i], 1, true, width); !slices.Equal(got, want) {
					t.Fatalf("%d bytes of %q, then %q, width %d: %s", i, words, end, width, firstDifference(got, want))
				}
			}
		}
	})
}

// firstDifference returns the first lines that differ.
func firstDifference(got, want []string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("line %d of %d and %d: %q, alone %q", i, len(got), len(want), got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
}

// TestVoid: an answer whose text is replaced, as after a retry, has nothing of the first one.
func TestVoid(t *testing.T) {
	d := New(NoColour, Options{})
	linesOf(d, "first\n\nsecond\n\nthird", 1, true, 40)
	if got := linesOf(d, "other", 2, true, 40); !slices.Equal(got, []string{"  other"}) {
		t.Errorf("%q", got)
	}
}

// TestHalfOpen: what is not complete looks as it will be, or is not there yet.
func TestHalfOpen(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"a **b", "a **b**"},
		{"a **b ", "a **b**"},
		{"a **b*", "a **b**"},
		{"a **", "a "},
		{"a *b* c", "a *b* c"},
		{"a ***b** c", "a ***b** c*"},
		{"a `b", "a `b`"},
		{"a `", "a "},
		{"a ``b` c", "a ``b` c``"},
		{"**a `b", "**a `b`**"},
		{"2 * 3", "2 * 3"},
		{"snake_case_", "snake_case"},
		{"snake_case", "snake_case"},
		{"~~a", "~~a~~"},
		{`\*a`, `\*a`},
		{"a [b](http://c", "a b"},
		{"a [b]", "a b"},
		{"a [b](http://c)", "a [b](http://c)"},
		{"a [1] b", "a [1] b"},
		{"a\n-", "a\n"},
		{"a\n--", "a\n"},
		{"a\n\n#", "a\n\n"},
		{"a\n\n1", "a\n\n"},
		{"a\n\n1.", "a\n\n"},
		{"a\n\n``", "a\n\n"},
		{"- [", "- "},
		{"- [x", "- "},
		{"- [x]", "- "},
		{"- **a", "- **a**"},
		{"- **a**\n- *b", "- **a**\n- *b*"},
		{"a\n\n| b |", "a\n\n"},
		{"| a | b |\n|--", ""},
		{"| a | b |\n|---|---|\n| c", "| a | b |\n|---|---|\n| c"},
		{"```go\na **b", "```go\na **b"},
		{"```go\na\n``", "```go\na\n"},
		{"```go\na\n```\n\nb **c", "```go\na\n```\n\nb **c**"},
		{"~~~\n```\n*a", "~~~\n```\n*a"},
	} {
		if got := completed(test.source); got != test.want {
			t.Errorf("%q became %q, want %q", test.source, got, test.want)
		}
	}
}

// TestManyMarks: text that is made to be slow does not become longer.
func TestManyMarks(t *testing.T) {
	if got := completed(strings.Repeat("*a _b ", 5000)); len(got) > 30_000 {
		t.Errorf("%d marks were closed", len(got)-30_000)
	}
}

// BenchmarkDelta draws a delta at the end of an answer of 100 kB.
func BenchmarkDelta(b *testing.B) {
	for _, bench := range []struct{ name, text, delta string }{
		{"paragraphs", strings.Repeat(answerText+"\n\n", 100), "and *more* text "},
		{"code", "```go\n" + strings.Repeat("\tsum += item.Price * 100 // in cents\n", 2700), "x := 1\n"},
		{"python", "```python\n" + strings.Repeat("    total += item.price * 100  # in cents\n", 24), "    x = 1\n"},
		{"paragraph", strings.Repeat("and more text ", 7500), "and more text "},
		{"list", strings.Repeat("- an item of a list that is long\n", 3000), "- more\n"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d := New(Dark, Options{Links: true})
			var text strings.Builder
			text.WriteString(bench.text)
			linesOf(d, text.String(), 1, true, 80)
			b.ResetTimer()
			for i := range b.N {
				text.WriteString(bench.delta)
				linesOf(d, text.String(), 2+i, true, 80)
			}
		})
	}
}

// BenchmarkAnswer draws an answer of 100 kB that is complete.
func BenchmarkAnswer(b *testing.B) {
	text := strings.Repeat(answerText+"\n\n", 100)
	d := New(Dark, Options{Links: true})
	for i := range b.N {
		linesOf(d, text, i+1, false, 80)
	}
}

// BenchmarkOutput draws a delta at the end of a large output.
func BenchmarkOutput(b *testing.B) {
	for _, unfolded := range []bool{false, true} {
		b.Run(map[bool]string{false: "folded", true: "unfolded"}[unfolded], func(b *testing.B) {
			d := New(Dark, Options{})
			output := strings.Repeat("=== RUN TestCart \x1b[32mok\x1b[0m\n", conversation.OutputLimit/32)
			shell := &conversation.Shell{Command: "make", Output: output}
			item := conversation.Item{Key: "a", Kind: conversation.Command, Shell: shell, Open: true}
			d.Lines(item, 80, unfolded)
			b.ResetTimer()
			for i := range b.N {
				item.Version = i + 1
				shell.Output += "=== RUN TestCart \x1b[32mok\x1b[0m\n"
				if n := len(shell.Output) - conversation.OutputLimit; n > 0 {
					shell.Output = shell.Output[n:]
				}
				d.Lines(item, 80, unfolded)
			}
		})
	}
}
