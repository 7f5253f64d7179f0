// Package invisible identifies the characters that a reader cannot see as what they are, and
// returns the signs to show in their place.
package invisible

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Is reports whether r is invisible: a control character, one that has no width or changes the
// direction of the text around it, a blank other than the space, or a private or reserved code
// point. Line feed and tab are visible, and so are the variation selectors of emoji.
func Is(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return isControl(r)
	case r == '\u2800': // a Braille pattern without dots
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters with a glyph
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co, unicode.Other_Default_Ignorable_Code_Point) ||
		unicode.Is(unicode.Variation_Selector, r) && (r < '\ufe00' || r > '\ufe0f') || isNoncharacter(r)
}

// InText reports whether r is invisible in text that is read and not approved, where it follows
// the character prev (0 at the beginning). There blanks and private characters are harmless, and a
// joiner after a character that it can join is part of many emoji and of several scripts.
func InText(prev, r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return isControl(r)
	case r == '\u2800', unicode.In(r, unicode.Zs, unicode.Co):
		return false
	case r == '\u200c' || r == '\u200d':
		return prev < utf8.RuneSelf || !unicode.In(prev, unicode.L, unicode.M, unicode.S)
	}
	return Is(r)
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

func isNoncharacter(r rune) bool { return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef }

// Name returns the name of r, such as U+202E.
func Name(r rune) string { return fmt.Sprintf("U+%04X", r) }

// Sign returns the visible replacement of r: for an ASCII control character its symbol, such as ␛,
// otherwise its name, such as ⟨U+202E⟩.
func Sign(r rune) string {
	switch {
	case r < ' ':
		return string('␀' + r)
	case r == 0x7f:
		return "␡"
	}
	return "⟨" + Name(r) + "⟩"
}
