package draw

import (
	"strings"
	"testing"
)

// TestConsole writes output, whole and byte by byte: both give the same rows.
func TestConsole(t *testing.T) {
	for _, test := range []struct{ name, output, want string }{
		{"lines", "a\nb\r\nc", "a\nb\nc"},
		{"carriage return", "10%\r100%\rok", "ok0%"},
		{"erase to the end of the line", "100%\r\x1b[Kok", "ok"},
		{"erase the line", "abc\x1b[2K\rd", "d"},
		{"erase to the cursor", "abc\x1b[D\x1b[1K", ""},
		{"cursor up", "a\nb\nc\n\x1b[2A\x1b[2KX\n", "a\nX\nc"},
		{"up beyond the top", "a\x1b[99Ab", "ab"},
		{"erase below", "a\nb\nc\x1b[2A\r\x1b[J", ""},
		{"clear and home", "a\nb\x1b[2J\x1b[Hc", "c"},
		{"a place", "\x1b[2;3Hx", "\n  x"},
		{"column", "abc\x1b[2Gx", "axc"},
		{"backspace", "ab\bc", "ac"},
		{"tab", "a\tb", "a       b"},
		{"delete characters", "abcdef\r\x1b[2P", "cdef"},
		{"erase characters", "abc\r\x1b[2X", "  c"},
		{"save and restore", "a\x1b7bc\x1b8x", "axc"},
		{"colours", "\x1b[31mred\x1b[0m \x1b[1;4mb\x1b[22;24mc", "\x1b[31mred\x1b[m \x1b[1;4mb\x1b[mc"},
		{"256 colours and RGB", "\x1b[38;5;208ma\x1b[48;2;1;2;3mb\x1b[39;49mc", "\x1b[38;5;208ma\x1b[m\x1b[38;5;208;48;2;1;2;3mb\x1b[mc"},
		{"colours with colons", "\x1b[38:5:208ma\x1b[38:2::1:2:3mb\x1b[4:0mc", "\x1b[38;5;208ma\x1b[m\x1b[38;2;1;2;3mbc\x1b[m"},
		{"neither concealed nor blinking", "\x1b[8;5mpassword", "password"},
		{"other sequences", "a\x1b]0;title\x07\x1b]52;c;AAAA\x1b\\\x1b[?1049h\x1b[6n\x1bPx\x1b\\\x1b_Gx\x1b\\b", "ab"},
		{"controls", "a\x07\x00\x0eb", "ab"},
		{"bidirectional", "a\u202eb", "a⟨U+202E⟩b"},
		{"wide characters", "日本\r\x1b[Cx", " x本"},
		{"combining marks", "e\u0301x", "e\u0301x"},
		{"joined emoji", "👩\u200d💻!", "👩\u200d💻!"},
		{"no UTF-8", "a\xffb", "ab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole, bytes := newConsole(1<<20, true), newConsole(1<<20, true)
			whole.write(test.output)
			for i := range len(test.output) {
				bytes.write(test.output[i : i+1])
			}
			for _, c := range []*console{whole, bytes} {
				var rows []string
				for _, l := range c.live() {
					rows = append(rows, l.encode())
				}
				if got := strings.Join(rows, "\n"); got != test.want {
					t.Errorf("got  %q\nwant %q", got, test.want)
				}
			}
		})
	}
}

// TestConsoleLimit: of much output the last part is remembered, and the rows before it are counted.
func TestConsoleLimit(t *testing.T) {
	c := newConsole(10_000, true)
	const rows = 5000
	c.write(strings.Repeat("a line\n", rows))
	if c.removed == 0 || c.size > 10_000 || c.removed+len(c.frozen)+len(c.live()) != rows {
		t.Errorf("%d removed, %d frozen with %d bytes, %d live", c.removed, len(c.frozen), c.size, len(c.live()))
	}
	c.write(strings.Repeat("x", 10*screenColumns))
	if got := len(c.live()[len(c.live())-1].plain()); got != screenColumns {
		t.Errorf("a row has %d columns", got)
	}
}

// TestContinued finds what is new in output of which the beginning is left out.
func TestContinued(t *testing.T) {
	earlier := strings.Repeat("a line\n", 100) + "the end\n"
	for _, test := range []struct {
		text, rest string
		ok         bool
	}{
		{earlier[300:] + "new", "new", true},
		{earlier[1:], "", true},
		{"something else " + strings.Repeat("x", 100), "", false},
		{"short", "", false},
	} {
		if rest, ok := continued(earlier, test.text); rest != test.rest || ok != test.ok {
			t.Errorf("%q: %q, %v", test.text, rest, ok)
		}
	}
}
