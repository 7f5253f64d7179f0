package output

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var screens = []struct{ name, written, shown string }{
	{"text", "one\ntwo é\n\tthree", "one\ntwo é\n\tthree"},
	{"line ends", "one\r\ntwo\r\n", "one\ntwo\n"},
	{"progress", "begin\nprogress 1\rprogress 2\rprogress 3\nend\n", "begin\nprogress 3\nend\n"},
	{"progress that goes on", "10%\r20%\r", "20%"},
	{"return before the text", "\r10%\r20%\r\n\rdone", "20%\ndone"},
	{"colours", "\x1b[1;31merror\x1b[0m: no\n\x1b[38;5;12mblue\x1b[m", "error: no\nblue"},
	{"erased line", "loading…\r\x1b[Kdone\nloading\x1b[2K\x1b[1Gdone\n", "done\ndone\n"},
	{"erased to the end", "kept\x1b[K\n\x1b[0Kkept\n", "kept\nkept\n"},
	{"erased and left", "loading\r\x1b[K\nnext\n", "\nnext\n"},
	{"first column", "⠋ install\x1b[1G⠙ install\x1b[0G⠹ installed\n", "⠹ installed\n"},
	{"another column", "one\x1b[12Gtwo\n", "onetwo\n"},
	{"title", "\x1b]0;title\x07one\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\\n", "onelink\n"},
	{"title that does not end", "a\x1b]0;title\nnext\n", "a\nnext\n"},
	{"other sequences", "\x1b(B\x1b)0\x1b=\x1b>\x1b7a\x1b8\x1bPq#0\x1b\\b", "ab"},
	{"overstrike", "N\bNA\bA_\bé\n", "NAé\n"},
	{"backspace at the beginning", "\b\ba\r\bb", "b"},
	{"no sequence", "\x1bé\x1b[1é\x1b", "éé"},
	{"controls", "a\x07b\x0e\x0fc\x7f", "abc"},
}

// TestScreen: however the text is cut at runes, what stays is what a terminal would show.
func TestScreen(t *testing.T) {
	for _, test := range screens {
		for cut := range len(test.written) + 1 {
			if cut < len(test.written) && !utf8.RuneStart(test.written[cut]) {
				continue
			}
			var s Screen
			out := s.Write(nil, []byte(test.written[:cut]))
			out = s.Write(out, []byte(test.written[cut:]))
			if got := string(s.End(out)); got != test.shown {
				t.Errorf("%s, cut at %d: %q, want %q", test.name, cut, got, test.shown)
			}
		}
	}
}

// TestScreenLongLine: a line without an end takes no more memory than its limit.
func TestScreenLongLine(t *testing.T) {
	var s Screen
	var out []byte
	piece := strings.Repeat("ä", 1000) + "\x1b[m"
	for range 200 {
		out = s.Write(out, []byte(piece))
		if len(s.Line) > maxScreenLine+len(piece) {
			t.Fatalf("%d bytes are held back", len(s.Line))
		}
	}
	if got := string(s.End(out)); got != strings.Repeat("ä", 200_000) {
		t.Errorf("%d bytes", len(got))
	}
}

// FuzzScreen: what stays is valid UTF-8 without control characters, no longer than what was written, and the
// same however it was cut. Shown again it stays the same.
func FuzzScreen(f *testing.F) {
	for _, test := range screens {
		f.Add(test.written, 3)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if !utf8.ValidString(text) {
			return
		}
		var whole, parts, again Screen
		got := string(whole.End(whole.Write(nil, []byte(text))))
		if !utf8.ValidString(got) || len(got) > len(text) || hasControl([]byte(got)) {
			t.Fatalf("%q became %q", text, got)
		}
		cut = max(0, min(cut, len(text)))
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		out := parts.Write(nil, []byte(text[:cut]))
		if other := string(parts.End(parts.Write(out, []byte(text[cut:])))); other != got {
			t.Fatalf("%q cut at %d is %q, else %q", text, cut, other, got)
		}
		if other := string(again.End(again.Write(nil, []byte(got)))); other != got {
			t.Fatalf("%q shown again is %q", got, other)
		}
	})
}
