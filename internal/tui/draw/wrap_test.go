package draw

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three", []string{"one two", "three"}},
		{"one two  three", []string{"one two", "three"}},
		{"exactly 10 and", []string{"exactly 10", "and"}},
		{"a averylongwordindeed", []string{"a", "averylongw", "ordindeed"}},
		{"see a/path.go", []string{"see", "a/path.go"}},
		{"https://a.test/b", []string{"https://", "a.test/b"}},
		{"日本語日本語", []string{"日本語日本", "語"}},
		{"ab 日本語日本", []string{"ab 日本語", "日本"}},
		{"один два три", []string{"один два", "три"}},
		{"neun  Übungen", []string{"neun", "Übungen"}},
		{"  indented text", []string{"  indented", "text"}},
		{"a\tb", []string{"a   b"}},
	} {
		var got []string
		for _, l := range wrap(line{{text: test.text}}, 10) {
			got = append(got, l.plain())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

// TestWrapStyles: styles and links go on in the next line, and all text is there.
func TestWrapStyles(t *testing.T) {
	bold := style{bold: true}
	lines := wrap(line{{text: "one "}, {text: "two three", style: bold, link: "http://a.test"}, {text: " four"}}, 8)
	var got []string
	for _, l := range lines {
		got = append(got, l.encode())
	}
	want := []string{
		"one \x1b]8;;http://a.test\x1b\\\x1b[1mtwo\x1b[m\x1b]8;;\x1b\\",
		"\x1b]8;;http://a.test\x1b\\\x1b[1mthree\x1b[m\x1b]8;;\x1b\\",
		"four",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本", 4, "日本"}, {"日本", 3, "日…"}, {"日本", 2, "…"}, {"a", 0, ""}, {strings.Repeat("é", 5), 3, "éé…"},
	} {
		if got := clip(line{{text: test.text}}, test.width).plain(); got != test.want {
			t.Errorf("%q in %d: %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
