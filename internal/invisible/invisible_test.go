package invisible

import "testing"

func TestIs(t *testing.T) {
	for _, test := range []struct {
		name       string
		prev, r    rune
		is, inText bool
		sign       string
	}{
		{"letter", 'a', 'b', false, false, ""},
		{"line feed", 'a', '\n', false, false, ""},
		{"tab", 'a', '\t', false, false, ""},
		{"space", 'a', ' ', false, false, ""},
		{"null", 'a', 0, true, true, "␀"},
		{"carriage return", 'a', '\r', true, true, "␍"},
		{"escape", 'a', 0x1b, true, true, "␛"},
		{"delete", 'a', 0x7f, true, true, "␡"},
		{"CSI", 'a', 0x9b, true, true, "⟨U+009B⟩"},
		{"no-break space", 'a', 0xa0, true, false, ""},
		{"soft hyphen", 'a', 0xad, true, true, "⟨U+00AD⟩"},
		{"combining grapheme joiner", 'a', 0x34f, true, true, "⟨U+034F⟩"},
		{"Arabic number sign", 'a', 0x600, false, false, ""},
		{"Hangul filler", 'a', 0x3164, true, true, "⟨U+3164⟩"},
		{"zero width space", 'a', 0x200b, true, true, "⟨U+200B⟩"},
		{"joiner after ASCII", 'a', 0x200d, true, true, "⟨U+200D⟩"},
		{"joiner in an emoji", '👩', 0x200d, true, false, ""},
		{"joiner after a variation selector", 0xfe0f, 0x200d, true, false, ""},
		{"non-joiner in Persian", 'ی', 0x200c, true, false, ""},
		{"joiner after a joiner", 0x200d, 0x200d, true, true, "⟨U+200D⟩"},
		{"right-to-left override", 'a', 0x202e, true, true, "⟨U+202E⟩"},
		{"isolate", 'א', 0x2066, true, true, "⟨U+2066⟩"},
		{"line separator", 'a', 0x2028, true, true, "⟨U+2028⟩"},
		{"Braille blank", 'a', 0x2800, true, false, ""},
		{"private use", 'a', 0xe0b0, true, false, ""},
		{"byte order mark", 'a', 0xfeff, true, true, "⟨U+FEFF⟩"},
		{"emoji variation selector", '❤', 0xfe0f, false, false, ""},
		{"other variation selector", 'a', 0xe0100, true, true, "⟨U+E0100⟩"},
		{"tag", 'a', 0xe0041, true, true, "⟨U+E0041⟩"},
		{"noncharacter", 'a', 0x1fffe, true, true, "⟨U+1FFFE⟩"},
		{"combining accent", 'e', 0x301, false, false, ""},
	} {
		if got := Is(test.r); got != test.is {
			t.Errorf("%s: Is is %v", test.name, got)
		}
		if got := InText(test.prev, test.r); got != test.inText {
			t.Errorf("%s: InText is %v", test.name, got)
		}
		if test.sign != "" && Sign(test.r) != test.sign {
			t.Errorf("%s is shown as %s", test.name, Sign(test.r))
		}
	}
}
