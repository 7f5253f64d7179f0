package sse

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// joined decodes the pieces of one text, each a JSON string. Servers cut text between
// tokens, so a rune may be split over two pieces: as bytes, or as the two escapes of a
// surrogate pair. Its first half is held back until the second comes. The zero value is ready.
type joined struct {
	held []byte // a quote and the half rune, still encoded; empty: nothing
	text []byte // scratch
}

// add decodes piece, a JSON string valid but for its UTF-8, after what is held. What
// cannot become a rune any more is U+FFFD.
func (j *joined) add(piece jsontext.Value) string {
	if len(j.held) > 0 {
		piece = slices.Concat(j.held, piece[1:])
		j.held = j.held[:0]
	}
	body := piece[1 : len(piece)-1]
	if plain(body) {
		return string(body)
	}
	if whole := wholeRunes(body); whole < len(body) {
		j.held = append(append(j.held, '"'), body[whole:]...)
		piece = append(piece[:1+whole:1+whole], '"')
	}
	j.text, _ = jsontext.AppendUnquote(j.text[:0], piece) // the error only reports a U+FFFD
	return string(j.text)
}

// rest returns what was held when no piece follows: "" or U+FFFD.
func (j *joined) rest() string {
	if len(j.held) == 0 {
		return ""
	}
	j.held = j.held[:0]
	return string(utf8.RuneError)
}

// plain reports whether the inside of a JSON string is the text itself.
func plain(body []byte) bool {
	return bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body)
}

// wholeRunes returns the length of body, the inside of a JSON string, without a half rune at its end.
func wholeRunes(body []byte) int {
	n := len(body)
	if n >= 6 && highSurrogate(body[n-6:]) && !escaped(body, n-6) {
		return n - 6
	}
	for i := n - 1; i >= 0 && i >= n-utf8.UTFMax; i-- {
		if utf8.RuneStart(body[i]) {
			if !utf8.FullRune(body[i:]) {
				return i
			}
			break
		}
	}
	return n
}

// highSurrogate reports whether esc is \ud800 to \udbff, the first half of a pair.
func highSurrogate(esc []byte) bool {
	if esc[0] != '\\' || esc[1] != 'u' {
		return false
	}
	code, err := strconv.ParseUint(string(esc[2:6]), 16, 16)
	return err == nil && code >= 0xd800 && code <= 0xdbff
}

// escaped reports whether the backslash at i is itself escaped.
func escaped(body []byte, i int) bool {
	n := 0
	for i > n && body[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}
