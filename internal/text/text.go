// Package text shortens text for users and models, to one line or to a length in whole characters, and
// fences it for Markdown. It does not protect a terminal from text; package terminal does.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns s with each run of white space replaced by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Printable is OneLine for text of strangers: characters that cannot be shown count as white
// space, and each run of bytes that are not UTF-8 becomes U+FFFD.
func Printable(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
}

// Prefix returns the longest beginning of s that has at most limit bytes and ends with a whole
// character.
func Prefix(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Clip returns s if it has at most limit bytes, otherwise its Prefix followed by mark.
func Clip(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	return Prefix(s, limit) + mark
}

// ClipRunes returns s if it has at most limit characters, otherwise the first limit of them
// followed by mark.
func ClipRunes(s string, limit int, mark string) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + mark
		}
		n++
	}
	return s
}

// FitRunes returns s if it has at most limit characters, otherwise a beginning of it followed by
// mark, limit characters together.
func FitRunes(s string, limit int, mark string) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return ClipRunes(s, limit-utf8.RuneCountInString(mark), mark)
}

// Fenced returns text as a code block of Markdown, with a fence that is longer than any in the text.
func Fenced(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
