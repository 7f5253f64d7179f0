package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"parley.dev/parley/internal/invisible"
)

// cleanTexts are texts and what Clean, Exact and Line return for them.
var cleanTexts = []struct{ name, text, clean, exact, line string }{
	{"plain", "a\tb\n größer 日本", "a\tb\n größer 日本", "a\tb\n größer 日本", "a b größer 日本"},
	{"erase and title", "\x1b[2J\x1b]0;pwned\x07", "␛[2J␛]0;pwned␇", "␛[2J␛]0;pwned␇", "␛[2J␛]0;pwned␇"},
	{"conceal", "Allow? \x1b[8m", "Allow? ␛[8m", "Allow? ␛[8m", "Allow? ␛[8m"},
	{"C1", "\u009b8m\u0085", "⟨U+009B⟩8m⟨U+0085⟩", "⟨U+009B⟩8m⟨U+0085⟩", "⟨U+009B⟩8m"},
	{"C1 as a byte", "\x9b8m", "\ufffd8m", "\ufffd8m", "\ufffd8m"},
	{"bidi", "rm \u202e# fr\u2069", "rm ⟨U+202E⟩# fr⟨U+2069⟩", "rm ⟨U+202E⟩# fr⟨U+2069⟩", "rm ⟨U+202E⟩# fr⟨U+2069⟩"},
	{"overprint", "safe\rrm -rf", "safe␍rm -rf", "safe␍rm -rf", "safe rm -rf"},
	{"CR LF", "a\r\nb\r", "a\nb␍", "a␍\nb␍", "a b"},
	{"backspace", "safe\b\b", "safe␈␈", "safe␈␈", "safe␈␈"},
	{"bad UTF-8", "a\xff\xc3", "a\ufffd\ufffd", "a\ufffd\ufffd", "a\ufffd\ufffd"},
	{"U+FFFD", "\ufffd", "\ufffd", "\ufffd", "\ufffd"},
	{"emoji", "👩\u200d💻 ❤️", "👩\u200d💻 ❤️", "👩⟨U+200D⟩💻 ❤️", "👩\u200d💻 ❤️"},
	{"no-break space", "10\u00a0km", "10\u00a0km", "10⟨U+00A0⟩km", "10 km"},
	{"zero width space", "a\u200bb", "a⟨U+200B⟩b", "a⟨U+200B⟩b", "a⟨U+200B⟩b"},
}

func TestClean(t *testing.T) {
	for _, test := range cleanTexts {
		t.Run(test.name, func(t *testing.T) {
			if got := Clean(test.text); got != test.clean {
				t.Errorf("Clean: %q, want %q", got, test.clean)
			}
			if got := Exact(test.text); got != test.exact {
				t.Errorf("Exact: %q, want %q", got, test.exact)
			}
			if got := Line(test.text); got != test.line {
				t.Errorf("Line: %q, want %q", got, test.line)
			}
		})
	}
}

// TestWriter writes each text byte by byte: it comes out as in one piece.
func TestWriter(t *testing.T) {
	for _, test := range cleanTexts {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			w := NewWriter(&b)
			for i := range len(test.text) {
				if n, err := w.Write([]byte(test.text[i : i+1])); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.Close(); err != nil || b.String() != test.clean {
				t.Errorf("%q, %v; want %q", b.String(), err, test.clean)
			}
		})
	}
}

// FuzzWriter checks that a text in two pieces comes out as in one, and that nothing in it could
// control a terminal.
func FuzzWriter(f *testing.F) {
	for _, test := range cleanTexts {
		f.Add([]byte(test.text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = min(max(cut, 0), len(text))
		var b strings.Builder
		w := NewWriter(&b)
		for _, piece := range [][]byte{text[:cut], text[cut:]} {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := Clean(string(text)); b.String() != want {
			t.Errorf("in pieces %q, whole %q", b.String(), want)
		}
		for _, out := range []string{b.String(), Exact(string(text))} {
			if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e }) {
				t.Errorf("not clean: %q", out)
			}
		}
		if line := Line(string(text)); strings.ContainsAny(line, "\n\t") {
			t.Errorf("not a line: %q", line)
		}
		for _, r := range Exact(string(text)) {
			if invisible.Is(r) {
				t.Errorf("%s is left", invisible.Name(r))
			}
		}
	})
}
