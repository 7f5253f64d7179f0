package wire

import (
	"bytes"
	"strconv"
)

// replaceSurrogates returns text with `\ufffd` in place of each escape from \ud800 to \udfff
// that is not half of a pair. It copies the text before a change; the length and all other bytes
// are unchanged.
//
// Such an escape is valid by the grammar of JSON (RFC 8259, section 8.2). JavaScript and
// Python write one for a string that was cut between the two halves of a pair.
func replaceSurrogates(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return text
	}
	changed := false
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(text[i:])
		switch {
		case !ok:
			i++ // the escape has two bytes, and the second may be a backslash
			continue
		case isSurrogate(unit) && !startsPair(text[i:]):
			if !changed {
				changed, text = true, bytes.Clone(text)
			}
			copy(text[i:], `\ufffd`)
		case isSurrogate(unit):
			i += escapeLen
		}
		i += escapeLen - 1
	}
	return text
}

// escapeLen is the length of \ud83d.
const escapeLen = 6

// escapedUnit returns the UTF-16 code unit of the escape \uXXXX that text begins with.
func escapedUnit(text []byte) (unit uint64, ok bool) {
	if len(text) < escapeLen || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:escapeLen]), 16, 16)
	return unit, err == nil
}

func isSurrogate(unit uint64) bool { return unit >= 0xd800 && unit < 0xe000 }

// startsPair reports whether text begins with the escapes of a surrogate pair.
func startsPair(text []byte) bool {
	high, ok := escapedUnit(text)
	if !ok || high < 0xd800 || high >= 0xdc00 {
		return false
	}
	low, ok := escapedUnit(text[escapeLen:])
	return ok && low >= 0xdc00 && low < 0xe000
}
